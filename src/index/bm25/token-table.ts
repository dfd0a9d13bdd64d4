import type { Analyzer } from '../../text/analyzers/index.js';

/** The number of a token that has no term. */
export const NO_TERM = -1;

/** What a term's string and its entry in the map take in V8, about. */
const BYTES_PER_TERM = 128;

/**
 * Numbers terms in the order they appear. Tokens repeat, so what the analyzer said of a token is kept in a hash
 * table on typed arrays, keyed by the token's place in the text: a known token costs no string at all.
 */
export class TokenTable {
  /** The terms by number. */
  terms: string[] = [];
  readonly #analyzer: Analyzer;
  #numbers = new Map<string, number>();
  /** Open addressing; entry + 1, 0 for a free slot. */
  #slots = new Int32Array(1 << 14);
  #entries = 0;
  #hashes = new Int32Array(1 << 13);
  #starts = new Int32Array(1 << 13);
  /** A token is at most 255 long (TokenSpans). */
  #lengths = new Uint8Array(1 << 13);
  #termNumbers = new Int32Array(1 << 13);
  #characters = new Uint16Array(1 << 16);
  #charactersUsed = 0;

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer;
  }

  /** The number of the term that `text[start, end)` stands for, {@link NO_TERM} where there is none. */
  numberOf(text: string, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    for (let i = start; i < end; i++) hash = Math.imul(hash, 31) + text.charCodeAt(i);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 12;
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] - 1;
      if (this.#hashes[entry] === hash && this.#isToken(entry, text, start, length)) {
        return this.#termNumbers[entry];
      }
    }
    const number = this.#analyze(text.slice(start, end));
    this.#insert(slot, hash, text, start, length, number);
    return number;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    const perEntry = 4 + 4 + 1 + 4;
    return (
      4 * this.#slots.length +
      perEntry * this.#hashes.length +
      2 * this.#characters.length +
      BYTES_PER_TERM * this.terms.length
    );
  }

  #isToken(entry: number, text: string, start: number, length: number): boolean {
    if (this.#lengths[entry] !== length) return false;
    const from = this.#starts[entry];
    for (let i = 0; i < length; i++) {
      if (this.#characters[from + i] !== text.charCodeAt(start + i)) return false;
    }
    return true;
  }

  #analyze(token: string): number {
    const term = this.#analyzer.term(token);
    if (term === undefined) return NO_TERM;
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.terms.length;
    this.#numbers.set(term, number);
    this.terms.push(term);
    return number;
  }

  #insert(slot: number, hash: number, text: string, start: number, length: number, number: number): void {
    if (this.#entries === this.#hashes.length) this.#growEntries();
    if (this.#charactersUsed + length > this.#characters.length) this.#characters = doubled(this.#characters);
    const entry = this.#entries++;
    this.#hashes[entry] = hash;
    this.#starts[entry] = this.#charactersUsed;
    this.#lengths[entry] = length;
    this.#termNumbers[entry] = number;
    for (let i = 0; i < length; i++) this.#characters[this.#charactersUsed++] = text.charCodeAt(start + i);
    this.#slots[slot] = entry + 1;
    if (2 * this.#entries > this.#slots.length) this.#rehash();
  }

  #growEntries(): void {
    this.#hashes = doubled(this.#hashes);
    this.#starts = doubled(this.#starts);
    this.#lengths = doubled(this.#lengths);
    this.#termNumbers = doubled(this.#termNumbers);
  }

  #rehash(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#entries; entry++) {
      let slot = this.#hashes[entry] & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry + 1;
    }
  }
}

function doubled<T extends Int32Array | Uint16Array | Uint8Array>(array: T): T {
  const grown = new (array.constructor as new (length: number) => T)(2 * array.length);
  grown.set(array);
  return grown;
}
