/** The best `k` of what was pushed, best first; equal scores keep the smaller id first. */
export interface Ranked {
  ids: Int32Array;
  scores: Float64Array;
}

/**
 * Keeps the k best-scored ids of a stream in a heap on typed arrays; memory is k entries, whatever passes by.
 * The order is total (higher score first, then smaller id), so the result does not depend on the order
 * of the pushes.
 *
 * @example
 * const best = new TopK(10);
 * for (let id = 0; id < scores.length; id++) best.push(id, scores[id]);
 * const { ids } = best.ranked(); // the best first
 */
export class TopK {
  readonly capacity: number;
  readonly #ids: Int32Array;
  readonly #scores: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new RangeError(`TopK: expected k to be an integer from 1 up, got ${capacity}`);
    }
    this.capacity = capacity;
    this.#ids = new Int32Array(capacity);
    this.#scores = new Float64Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /**
   * What a later id must exceed to enter: the worst kept score once k are kept, `-Infinity` before. When ids
   * come in ascending order an equal score never enters, so `score <= threshold` may be skipped unseen.
   */
  get threshold(): number {
    return this.#size < this.capacity ? Number.NEGATIVE_INFINITY : this.#scores[0];
  }

  /** Offers one id; says whether it is (for now) among the best. */
  push(id: number, score: number): boolean {
    if (this.#size < this.capacity) {
      this.#siftUp(this.#size++, id, score);
      return true;
    }
    if (score < this.#scores[0] || (score === this.#scores[0] && id > this.#ids[0])) return false;
    this.#siftDown(id, score, this.#size);
    return true;
  }

  clear(): void {
    this.#size = 0;
  }

  /** Takes everything out, best first; the heap is empty afterwards and can be used again. */
  ranked(): Ranked {
    const ids = new Int32Array(this.#size);
    const scores = new Float64Array(this.#size);
    for (let last = this.#size - 1; last >= 0; last--) {
      ids[last] = this.#ids[0];
      scores[last] = this.#scores[0];
      this.#siftDown(this.#ids[last], this.#scores[last], last);
    }
    this.#size = 0;
    return { ids, scores };
  }

  /** Places an entry from a free leaf upwards: the worst entry is at the root. */
  #siftUp(leaf: number, id: number, score: number): void {
    const ids = this.#ids;
    const scores = this.#scores;
    let at = leaf;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (scores[parent] < score || (scores[parent] === score && ids[parent] > id)) break;
      ids[at] = ids[parent];
      scores[at] = scores[parent];
      at = parent;
    }
    ids[at] = id;
    scores[at] = score;
  }

  /** Replaces the root by an entry and restores the heap over the first `size` places. */
  #siftDown(id: number, score: number, size: number): void {
    const ids = this.#ids;
    const scores = this.#scores;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      const right = child + 1;
      if (
        right < size &&
        (scores[right] < scores[child] || (scores[right] === scores[child] && ids[right] > ids[child]))
      ) {
        child = right;
      }
      if (score < scores[child] || (score === scores[child] && id > ids[child])) break;
      ids[at] = ids[child];
      scores[at] = scores[child];
      at = child;
    }
    ids[at] = id;
    scores[at] = score;
  }
}
