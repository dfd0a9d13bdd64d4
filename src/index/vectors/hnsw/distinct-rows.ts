import { createHash } from 'node:crypto';

/** A slot is this much of a row's SHA-256, and the row's id + 1; 0 is an empty one. */
const DIGEST_WORDS = 3;
const SLOT_WORDS = DIGEST_WORDS + 1;
const FIRST_SLOTS = 1024;
const MOST_FILLED = 0.7;

/**
 * Tells rows that were seen before by 96 bits of their digests: of 10⁹ rows two different ones are taken for equal with a
 * probability of 10⁻¹¹. Takes 23 to 46 bytes for each distinct row, and none for another that equals it.
 */
export class DistinctRows {
  #slots = new Uint32Array(SLOT_WORDS * FIRST_SLOTS);
  #filled = 0;

  /** The id of the first row with these bytes, which is the one given where there was none. */
  firstOf(row: Uint8Array, id: number): number {
    const digest = createHash('sha256').update(row).digest();
    const entry = new Uint32Array(SLOT_WORDS);
    for (let word = 0; word < DIGEST_WORDS; word++) entry[word] = digest.readUInt32LE(4 * word);
    entry[DIGEST_WORDS] = id + 1;
    const at = this.#place(entry);
    const first = this.#slots[at + DIGEST_WORDS];
    if (first !== 0) return first - 1;
    this.#slots.set(entry, at);
    this.#filled++;
    if (this.#filled * SLOT_WORDS > MOST_FILLED * this.#slots.length) this.#grow();
    return id;
  }

  /** Where the digest is, or the empty slot that it belongs into. */
  #place(entry: Uint32Array): number {
    const slots = this.#slots;
    const count = slots.length / SLOT_WORDS;
    for (let slot = entry[0] % count; ; slot = (slot + 1) % count) {
      const at = slot * SLOT_WORDS;
      if (slots[at + DIGEST_WORDS] === 0) return at;
      if (slots[at] === entry[0] && slots[at + 1] === entry[1] && slots[at + 2] === entry[2]) return at;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      const entry = old.subarray(at, at + SLOT_WORDS);
      if (entry[DIGEST_WORDS] !== 0) this.#slots.set(entry, this.#place(entry));
    }
  }
}
