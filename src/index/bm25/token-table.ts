import type { Analyzer, CodeUnits } from '../../text/analyzers/index.js';

/** The number of a token that has no term. */
export const NO_TERM = -1;

/** What a term's string and its entry in the map take in V8, about. */
const BYTES_PER_TERM = 128;

/** An entry: hash, place and number of its characters, number of its term. In one row, so in one cache line. */
const ENTRY = { hash: 0, start: 1, length: 2, term: 3, width: 4 } as const;

/**
 * Numbers terms in the order they appear. Tokens repeat, so what the analyzer said of a token is kept in a hash
 * table on typed arrays, keyed by the token's code units: a known token costs no string at all.
 */
export class TokenTable {
  /** The terms by number. */
  readonly terms: string[] = [];
  readonly #analyzer: Analyzer;
  readonly #numbers = new Map<string, number>();
  /** Open addressing; where the entry starts + 1, 0 for a free slot. */
  #slots = new Int32Array(1 << 14);
  #entries = new Int32Array(1 << 15);
  #entriesUsed = 0;
  #characters = new Uint16Array(1 << 16);
  #charactersUsed = 0;

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer;
  }

  /** The number of the term that `text[start, end)` stands for, {@link NO_TERM} where there is none. */
  numberOf(text: CodeUnits, start: number, end: number): number {
    const slots = this.#slots;
    const entries = this.#entries;
    const hash = hashOf(text, start, end);
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = slots[slot] - 1;
      if (entries[entry] === hash && this.#isToken(entry, text, start, end))
        return entries[entry + ENTRY.term];
    }
    const number = this.#analyze(String.fromCharCode(...text.subarray(start, end)));
    this.#insert(slot, hash, text.subarray(start, end), number);
    return number;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const tables = 4 * (this.#slots.length + this.#entries.length) + 2 * this.#characters.length;
    return tables + BYTES_PER_TERM * this.terms.length;
  }

  #isToken(entry: number, text: CodeUnits, start: number, end: number): boolean {
    if (this.#entries[entry + ENTRY.length] !== end - start) return false;
    const characters = this.#characters;
    for (let i = start, at = this.#entries[entry + ENTRY.start]; i < end; i++, at++) {
      if (characters[at] !== text[i]) return false;
    }
    return true;
  }

  #analyze(token: string): number {
    const term = this.#analyzer.term(token);
    return term === undefined ? NO_TERM : this.numberOfTerm(term);
  }

  /** The number of a term that no analyzer has to make first. */
  numberOfTerm(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.terms.length;
    this.#numbers.set(term, number);
    this.terms.push(term);
    return number;
  }

  #insert(slot: number, hash: number, token: CodeUnits, number: number): void {
    if (this.#entriesUsed === this.#entries.length) this.#entries = doubled(this.#entries);
    if (this.#charactersUsed + token.length > this.#characters.length)
      this.#characters = doubled(this.#characters);
    this.#entries.set([hash, this.#charactersUsed, token.length, number], this.#entriesUsed);
    this.#characters.set(token, this.#charactersUsed);
    this.#charactersUsed += token.length;
    this.#slots[slot] = this.#entriesUsed + 1;
    this.#entriesUsed += ENTRY.width;
    if (this.#entriesUsed > 2 * this.#slots.length) this.#rehash();
  }

  /** Keeps at least every other slot free. */
  #rehash(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#entriesUsed; entry += ENTRY.width) {
      let slot = this.#entries[entry] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry + 1;
    }
  }
}

function hashOf(text: CodeUnits, start: number, end: number): number {
  let hash = end - start;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + text[i]) | 0;
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}

function doubled<T extends Int32Array | Uint16Array>(array: T): T {
  const grown = new (array.constructor as new (length: number) => T)(2 * array.length);
  grown.set(array);
  return grown;
}
