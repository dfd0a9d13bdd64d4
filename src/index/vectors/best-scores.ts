import { selectPairs, sortPairs } from './ranked-pairs.js';
import type { SearchResult } from './vector-index.js';

/** Neighbouring vectors whose best score decides whether their scores are looked at one by one. */
export const GROUP_SIZE = 16;

/** Entries kept beyond k at the least, so that small k are not cut back after every few entries. */
const MIN_SLACK = 128;

/** Scores of some queries (rows) with a run of vectors (columns). */
export interface ScoredBlock {
  scores: Float32Array;
  /** The best of each {@link GROUP_SIZE} neighbouring scores of a row. */
  maxima: Float32Array;
  /** Columns; a multiple of the group size, with padding at the end. */
  width: number;
  /** Columns that are vectors. */
  rows: number;
  /** Id of the first column's vector. */
  firstId: number;
}

/**
 * Keeps the k best of each query while scores stream by in ascending order of ids. Entries that beat the k-th
 * best so far are collected in a buffer of about 2k, which is cut back to k by selection when it is full: an order
 * of magnitude fewer steps than a heap that is kept in order at every entry.
 */
export class BestScores {
  readonly #k: number;
  readonly #capacity: number;
  readonly #scores: Float32Array;
  readonly #ids: Int32Array;
  readonly #sizes: Int32Array;
  /** A lower bound of the k-th best score; equal scores do not enter since their ids are higher. */
  readonly #thresholds: Float32Array;

  constructor(queries: number, k: number) {
    this.#k = k;
    this.#capacity = BestScores.capacity(k);
    this.#scores = new Float32Array(queries * this.#capacity);
    this.#ids = new Int32Array(queries * this.#capacity);
    this.#sizes = new Int32Array(queries);
    this.#thresholds = new Float32Array(queries).fill(Number.NEGATIVE_INFINITY);
  }

  /** Entries kept for each query. */
  static capacity(k: number): number {
    return k + Math.max(k, MIN_SLACK);
  }

  /** Offers row `row` of a block to a query. */
  offer(query: number, row: number, { scores, maxima, width, rows, firstId }: ScoredBlock): void {
    const groups = width / GROUP_SIZE;
    const base = query * this.#capacity;
    let threshold = this.#thresholds[query];
    let size = this.#sizes[query];
    for (let group = 0; group < groups; group++) {
      if (!(maxima[row * groups + group] > threshold)) continue;
      const end = Math.min((group + 1) * GROUP_SIZE, rows);
      for (let column = group * GROUP_SIZE; column < end; column++) {
        const score = scores[row * width + column];
        if (!(score > threshold)) continue;
        this.#scores[base + size] = score;
        this.#ids[base + size] = firstId + column;
        if (++size < this.#capacity) continue;
        selectPairs(this.#scores, this.#ids, base, base + size, this.#k);
        size = this.#k;
        threshold = this.#scores[base + size - 1];
      }
    }
    this.#thresholds[query] = threshold;
    this.#sizes[query] = size;
  }

  /** Writes the best of each query into the rows of a result, from row `firstRow` on. */
  rankInto(result: SearchResult, firstRow: number): void {
    for (let query = 0; query < this.#sizes.length; query++) {
      const base = query * this.#capacity;
      const size = this.#sizes[query];
      const kept = Math.min(size, this.#k);
      if (size > kept) selectPairs(this.#scores, this.#ids, base, base + size, kept);
      sortPairs(this.#scores, this.#ids, base, base + kept);
      const start = (firstRow + query) * result.k;
      result.scores.set(this.#scores.subarray(base, base + kept), start);
      result.ids.set(this.#ids.subarray(base, base + kept), start);
    }
  }
}
