import type { Encoding, Tokenizer as NativeTokenizer } from 'tokenizers';
import { lookahead } from './lookahead.js';
import type { TokenizerJson } from './tokenizer-files.js';

/** The native encodings are large (text, offsets and masks of each token), so few are made at a time. */
const MAX_TEXTS_AT_ONCE = 512;
const MAX_CHARACTERS_AT_ONCE = 1 << 20;

/** More than nearly all texts have; of the others more is read. */
const CHARACTERS_PER_TOKEN = 8;
const GROWTH = 4;
/** How many characters are tried as the frontier. */
const FRONTIERS_TRIED = 64;

/** The beginning of a text. */
interface Window {
  text: string;
  /** Tokens of the words before this character (counted in code points) are those of the whole text. */
  frontiers: Iterable<number>;
}

/**
 * The first tokens of texts, which are read no further than it takes to be sure of them: a text of a million characters
 * would take a second and a hundred megabytes to be tokenised as a whole, for a model that reads 512 tokens.
 *
 * Words are tokenised one by one, and where a word ends is decided by the visible character that comes after it and by
 * the few that follow this one ({@link lookahead}). So the tokens of all words before a visible character are the same
 * whatever comes after those few; where they are too few, because the tokenizer drops characters or the words are
 * long, more of the text is read.
 */
export class FirstTokens {
  readonly #native: NativeTokenizer;
  readonly #lookahead: number | undefined;
  readonly #charactersPerToken: number;

  /** @param options.charactersPerToken how much is read at first */
  constructor(native: NativeTokenizer, parsed: TokenizerJson, options: { charactersPerToken?: number } = {}) {
    this.#native = native;
    this.#lookahead = lookahead(parsed);
    this.#charactersPerToken = options.charactersPerToken ?? CHARACTERS_PER_TOKEN;
  }

  /**
   * Tells the first tokens of each text in their order, without special tokens: at least `room` of them, or all.
   *
   * @param textAt well-formed
   */
  async read(
    { count, textAt, room }: { count: number; textAt: (index: number) => string; room: number },
    receive: (ids: number[]) => void,
  ): Promise<void> {
    const size = this.#windowSize(room);
    for (let start = 0; start < count; ) {
      const windows: (Window | undefined)[] = [];
      const texts: string[] = [];
      let characters = 0;
      while (start < count && texts.length < MAX_TEXTS_AT_ONCE && characters < MAX_CHARACTERS_AT_ONCE) {
        const text = textAt(start++);
        const window = this.#window(text, size);
        windows.push(window);
        texts.push(text);
        characters += (window?.text ?? text).length;
      }
      const encodings = await this.#encode(windows.map((window, i) => window?.text ?? texts[i]));
      for (const [i, encoding] of encodings.entries()) {
        receive(certain(encoding, windows[i], room) ?? (await this.#readFurther(texts[i], size, room)));
      }
    }
  }

  async #readFurther(text: string, read: number, room: number): Promise<number[]> {
    const window = this.#window(text, read * GROWTH);
    const [encoding] = await this.#encode([window?.text ?? text]);
    return certain(encoding, window, room) ?? this.#readFurther(text, read * GROWTH, room);
  }

  #encode(texts: string[]): Promise<Encoding[]> {
    return this.#native.encodeBatch(texts, { addSpecialTokens: false });
  }

  #windowSize(room: number): number {
    if (this.#lookahead === undefined) return Number.POSITIVE_INFINITY;
    return Math.ceil(room * this.#charactersPerToken) + 2 * this.#lookahead;
  }

  /** Undefined where the whole text is hardly longer. */
  #window(text: string, size: number): Window | undefined {
    if (text.length <= size + size / 4) return undefined;
    const end = isHighSurrogate(text.charCodeAt(size - 1)) ? size - 1 : size;
    const beginning = text.slice(0, end);
    return { text: beginning, frontiers: frontiersOf(beginning, end - this.#lookahead!) };
  }
}

/** Those tokens of a window that are the whole text's, too; nothing where they are less than `room`. */
function certain(encoding: Encoding, window: Window | undefined, room: number): number[] | undefined {
  if (window === undefined) return encoding.getIds();
  const count = tokensBefore(encoding, window.frontiers);
  return count < room ? undefined : encoding.getIds().slice(0, count);
}

/** How many tokens come before the word of the first character that belongs to one. */
function tokensBefore(encoding: Encoding, characters: Iterable<number>): number {
  for (const character of characters) {
    const word = encoding.charToWord(character);
    const tokens = word === null ? undefined : encoding.wordToTokens(word);
    if (tokens) return tokens[0];
  }
  return 0;
}

/** Visible characters before `end`, the last first, counted in code points. */
function* frontiersOf(text: string, end: number): Generator<number> {
  let codePoints = 0;
  for (let i = 0; i < end; i++) if (!isHighSurrogate(text.charCodeAt(i))) codePoints++;
  let tried = 0;
  for (let i = end - 1; i >= 0 && tried < FRONTIERS_TRIED; i--) {
    const isFirstOfPair = isHighSurrogate(text.charCodeAt(i));
    if (!isFirstOfPair) codePoints--;
    if (!isVisible(text[i])) continue;
    tried++;
    yield codePoints;
  }
}

const LETTER_OR_DIGIT = /^[\p{Lu}\p{Ll}\p{Lo}\p{Nd}]$/u;

/** Whether a character is one that stays: marks are dropped or join what is before them, in runs of any length. */
function isVisible(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x80 ? code > 0x20 && code < 0x7f : LETTER_OR_DIGIT.test(character);
}

function isHighSurrogate(code: number): boolean {
  return (code & 0xfc00) === 0xd800;
}
