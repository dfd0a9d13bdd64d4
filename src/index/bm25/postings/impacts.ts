import { MAX_FREQUENCY } from '../layout.js';

/**
 * The postings of a block that could score highest under any similarity: those for which no other has at least
 * the frequency at no greater length. Kept instead of a greatest score, so that k1 and b can change without a new
 * index and the bounds stay tight (Ding & Suel 2011; Lucene calls them competitive impacts).
 */
export class ImpactFrontier {
  #frequencies = new Int32Array(128);
  #lengthCodes = new Int32Array(128);
  #size = 0;

  clear(): void {
    this.#size = 0;
  }

  add(frequency: number, lengthCode: number): void {
    const frequencies = this.#frequencies;
    const lengthCodes = this.#lengthCodes;
    let kept = 0;
    for (let i = 0; i < this.#size; i++) {
      if (frequencies[i] >= frequency && lengthCodes[i] <= lengthCode) return;
      if (frequencies[i] <= frequency && lengthCodes[i] >= lengthCode) continue;
      frequencies[kept] = frequencies[i];
      lengthCodes[kept++] = lengthCodes[i];
    }
    frequencies[kept] = frequency;
    lengthCodes[kept++] = lengthCode;
    this.#size = kept;
  }

  get size(): number {
    return this.#size;
  }

  /** The i-th impact as the index stores it. */
  packed(i: number): number {
    return ((this.#frequencies[i] << 8) | this.#lengthCodes[i]) >>> 0;
  }
}

export function impactFrequency(packed: number): number {
  return (packed >>> 8) & MAX_FREQUENCY;
}

export function impactLengthCode(packed: number): number {
  return packed & 255;
}
