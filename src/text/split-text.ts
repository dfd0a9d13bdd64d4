import { describe, NearmissError } from '../base/errors.js';
import { mostOverlap } from './passage-limits.js';

export interface SplitTextOptions {
  /** Words of a passage at most. */
  maxWords: number;
  /** Words that a passage repeats from the end of the one before it, at most half of `maxWords`. Default 0. */
  overlap?: number;
}

/** Where a text may be cut, from the last resort to the best place. */
const WORD = 0;
const LINE = 1;
const SENTENCE = 2;
const PARAGRAPH = 3;

/** One word with the punctuation on it, and what kind of place follows. */
interface Unit {
  start: number;
  end: number;
  border: number;
}

/** Scripts written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The segmenter's time grows with the square of its input, so it gets a clause at a time. */
const CLAUSE = /[^\p{P}]{1,500}\p{P}{0,20}|\p{P}{1,20}/gu;
const BLANK_LINE = /\n[^\S\n]*\n/;
const SENTENCE_END = /[\p{Sentence_Terminal}…]["'\p{Pe}\p{Pf}]{0,3}$/u;

/** Made when there is something to divide: that takes longer than loading most modules. */
let wordSegmenter: Intl.Segmenter | undefined;

/**
 * Splits a text into passages of at most `maxWords` words: at the last end of a paragraph in the second half of
 * the passage, else of a sentence, of a line, of a word, and so that no short rest is left. Words are what stands between
 * spaces; Chinese, Japanese, Thai and the like, written without, are divided by Unicode's word rules.
 */
export function splitText(text: string, options: SplitTextOptions): string[] {
  const { maxWords, overlap = 0 } = options;
  checkOptions(maxWords, overlap);
  const units = unitsOf(text);
  const passages: string[] = [];
  for (let start = 0; start < units.length; ) {
    const end = cutAfter(units, start, maxWords);
    passages.push(text.slice(indented(text, units[start].start), units[end - 1].end));
    if (end === units.length) break;
    start = end - overlap;
  }
  return passages;
}

/** A passage that begins with a line begins with its indentation: it says something in programs and lists. */
function indented(text: string, start: number): number {
  let line = start;
  while (line > 0 && (text[line - 1] === ' ' || text[line - 1] === '\t')) line--;
  return line > 0 && text[line - 1] === '\n' ? line : start;
}

/** How many words a text has, counted as {@link splitText} does. */
export function wordCount(text: string): number {
  return unitsOf(text).length;
}

/** The index after the passage that begins at `start`. */
function cutAfter(units: Unit[], start: number, maxWords: number): number {
  const left = units.length - start;
  if (left <= maxWords) return units.length;
  const shortest = Math.floor(maxWords / 2) + 1;
  const longest = Math.min(maxWords, left - Math.ceil(maxWords / 4));
  let best = start + longest;
  for (let end = start + longest; end >= start + shortest; end--) {
    if (units[end - 1].border > units[best - 1].border) best = end;
  }
  return best;
}

function unitsOf(text: string): Unit[] {
  const units: Unit[] = [];
  for (const { index, 0: run } of text.matchAll(/\S+/g)) {
    const last = units.at(-1);
    if (last) last.border = Math.max(last.border, borderOf(text.slice(last.end, index)));
    if (UNSPACED.test(run)) pushUnspaced(units, run, index);
    else units.push(unit(run, index));
  }
  return units;
}

/** What the white space between two words says. */
function borderOf(space: string): number {
  if (BLANK_LINE.test(space)) return PARAGRAPH;
  return space.includes('\n') ? LINE : WORD;
}

/** Punctuation goes with the word before it. */
function pushUnspaced(units: Unit[], run: string, offset: number): void {
  let open = false;
  wordSegmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  for (const { index: start, 0: clause } of run.matchAll(CLAUSE)) {
    for (const { index, segment, isWordLike } of wordSegmenter.segment(clause)) {
      const at = offset + start + index;
      const last = units.length - 1;
      if (open && !isWordLike)
        units[last] = unit(
          run.slice(units[last].start - offset, start + index + segment.length),
          units[last].start,
        );
      else units.push(unit(segment, at));
      open = true;
    }
  }
}

function unit(text: string, start: number): Unit {
  return { start, end: start + text.length, border: SENTENCE_END.test(text.slice(-4)) ? SENTENCE : WORD };
}

function checkOptions(maxWords: number, overlap: number): void {
  if (!Number.isInteger(maxWords) || maxWords < 1) {
    throw new NearmissError(`maxWords: expected a whole number of at least 1, got ${describe(maxWords)}`);
  }
  const most = mostOverlap(maxWords);
  if (!Number.isInteger(overlap) || overlap < 0 || overlap > most) {
    throw new NearmissError(
      `overlap: expected a whole number from 0 to ${most} (half of maxWords), got ${describe(overlap)}`,
    );
  }
}
