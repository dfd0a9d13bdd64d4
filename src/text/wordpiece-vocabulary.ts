import { PairMerger } from './pair-merger.js';

export interface VocabularyOptions {
  /** How many tokens to make at most. */
  size: number;
  /** Pairs seen less often are not merged. */
  minFrequency: number;
  /** The share of all characters that must be tokens; the rarest beyond it become unknown. */
  characterCoverage: number;
}

/** What a token inside a word starts with. */
export const CONTINUATION = '##';

/**
 * Learns WordPiece tokens from word counts: the characters, as a word's start and, where they occur so, inside
 * a word; then, again and again, the most frequent neighbours made one token. Like the trainer of Hugging Face
 * it picks pairs by frequency; the result depends on the counts alone, not on their order.
 */
export function learnVocabulary(counts: ReadonlyMap<string, number>, options: VocabularyOptions): string[] {
  const tokens = alphabet(counts, options);
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const merger = new PairMerger(splitWords(counts, ids));
  while (tokens.length < options.size) {
    const pair = merger.mostFrequent();
    if (!pair || pair.count < options.minFrequency) break;
    const merged = tokens[pair.left] + tokens[pair.right].slice(CONTINUATION.length);
    // Different pairs can make the same token: ab+c and a+bc.
    let id = ids.get(merged);
    if (id === undefined) {
      id = tokens.length;
      ids.set(merged, id);
      tokens.push(merged);
    }
    merger.merge(pair, id);
  }
  return tokens;
}

interface Character {
  text: string;
  count: number;
  continues: boolean;
}

function alphabet(counts: ReadonlyMap<string, number>, options: VocabularyOptions): string[] {
  const characters = countCharacters(counts);
  const wanted = options.characterCoverage * characters.reduce((sum, { count }) => sum + count, 0);
  const chosen: Character[] = [];
  let covered = 0;
  let room = options.size;
  for (const character of characters) {
    room -= character.continues ? 2 : 1;
    if (covered >= wanted || room < 0) break;
    covered += character.count;
    chosen.push(character);
  }
  const starts = chosen.map(({ text }) => text);
  const inside = chosen.filter(({ continues }) => continues).map(({ text }) => CONTINUATION + text);
  return [...starts.sort(), ...inside.sort()];
}

/** Most frequent first. */
function countCharacters(counts: ReadonlyMap<string, number>): Character[] {
  const characters = new Map<string, Character>();
  for (const [word, count] of counts) {
    let first = true;
    for (const text of word) {
      let character = characters.get(text);
      if (!character) {
        character = { text, count: 0, continues: false };
        characters.set(text, character);
      }
      character.count += count;
      character.continues ||= !first;
      first = false;
    }
  }
  return [...characters.values()].sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
}

/** Words as character ids. One with a character outside the alphabet would be unknown as a whole: left out. */
function splitWords(
  counts: ReadonlyMap<string, number>,
  ids: ReadonlyMap<string, number>,
): { symbols: number[]; count: number }[] {
  const words: { symbols: number[]; count: number }[] = [];
  for (const [word, count] of counts) {
    const symbols = Array.from(word, (text, i) => ids.get(i === 0 ? text : CONTINUATION + text));
    if (symbols.length > 1 && !symbols.includes(undefined))
      words.push({ symbols: symbols as number[], count });
  }
  return words;
}
