import { LRUCache } from 'lru-cache';

export interface VectorCacheOptions {
  /** Numbers in a vector. */
  dimension: number;
  /** Bytes of vectors at most. */
  bytes: number;
}

/** Vectors in one piece of memory. */
const VECTORS_A_SLAB = 1024;
/** Longer texts are seldom asked for twice, and would take more memory than their vectors. */
const LONGEST_TEXT = 512;

/**
 * The vectors of the texts asked for last. They lie in a few large arrays that are used again and again: as twenty
 * thousand small ones that come and go, they kept the garbage collector busy and the heap growing for minutes.
 */
export class VectorCache {
  readonly #dimension: number;
  readonly #slots: LRUCache<string, number>;
  readonly #slabs: Float32Array[] = [];

  constructor({ dimension, bytes }: VectorCacheOptions) {
    this.#dimension = dimension;
    const max = Math.max(1, Math.floor(bytes / (dimension * Float32Array.BYTES_PER_ELEMENT)));
    this.#slots = new LRUCache({ max });
  }

  get size(): number {
    return this.#slots.size;
  }

  /** A copy of a text's vector, where it is known: its place may be another's soon. */
  get(text: string): Float32Array | undefined {
    const slot = this.#slots.get(text);
    return slot === undefined ? undefined : this.#at(slot).slice();
  }

  set(text: string, vector: Float32Array): void {
    if (text.length > LONGEST_TEXT || this.#slots.has(text)) return;
    const { size, max } = this.#slots;
    const slot = size < max ? size : this.#slots.pop()!;
    this.#at(slot).set(vector);
    this.#slots.set(text, slot);
  }

  #at(slot: number): Float32Array {
    const slab = Math.floor(slot / VECTORS_A_SLAB);
    this.#slabs[slab] ??= new Float32Array(VECTORS_A_SLAB * this.#dimension);
    const start = (slot % VECTORS_A_SLAB) * this.#dimension;
    return this.#slabs[slab].subarray(start, start + this.#dimension);
  }
}
