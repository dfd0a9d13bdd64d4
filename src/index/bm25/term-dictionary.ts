import { TERM_ROW } from './layout.js';

/** No term has this number. */
export const NOT_FOUND = -1;

/** The sorted terms, looked up by binary search in place: opening it costs nothing, however many there are. */
export class TermDictionary {
  readonly size: number;
  readonly #text: Buffer;
  readonly #table: Uint32Array;

  constructor(text: Buffer, table: Uint32Array) {
    this.#text = text;
    this.#table = table;
    this.size = table.length / TERM_ROW.width - 1;
  }

  find(term: string): number {
    const wanted = Buffer.from(term);
    let low = 0;
    let high = this.size - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = this.#compare(middle, wanted);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return NOT_FOUND;
  }

  term(number: number): string {
    return this.#text.toString('utf8', this.#start(number), this.#start(number + 1));
  }

  documentFrequency(number: number): number {
    return this.#table[number * TERM_ROW.width + TERM_ROW.documentFrequency];
  }

  firstBlock(number: number): number {
    return this.#table[number * TERM_ROW.width + TERM_ROW.firstBlock];
  }

  #start(number: number): number {
    return this.#table[number * TERM_ROW.width + TERM_ROW.textOffset];
  }

  #compare(number: number, wanted: Buffer): number {
    const text = this.#text;
    const start = this.#start(number);
    const length = this.#start(number + 1) - start;
    const common = Math.min(length, wanted.length);
    for (let i = 0; i < common; i++) {
      const difference = utf16Rank(text[start + i]) - utf16Rank(wanted[i]);
      if (difference !== 0) return difference;
    }
    return length - wanted.length;
  }
}

/**
 * Makes the order of UTF-8 bytes that of JavaScript strings, by which runs are sorted: it puts characters above
 * U+FFFF (first byte F0–F4) before U+E000–U+FFFF (first byte EE, EF).
 */
function utf16Rank(byte: number): number {
  if (byte >= 0xf0) return byte - 2;
  return byte >= 0xee ? byte + 6 : byte;
}
