import type { SearchResult } from './vector-index.js';

/** The best of some queries (rows) among a run of vectors, best first. */
export interface BlockRanking {
  /** Entries a row. */
  length: number;
  scores: Float32Array;
  /** Places in the run. */
  indices: Int32Array;
  /** Id of the run's first vector. */
  firstId: number;
}

/** Merges rankings of vectors with ever higher ids into a result, so that equal scores keep the lower id first. */
export class RankingMerger {
  readonly #result: SearchResult;
  readonly #scores: Float32Array;
  readonly #ids: Int32Array;

  constructor(result: SearchResult) {
    this.#result = result;
    this.#scores = new Float32Array(result.k);
    this.#ids = new Int32Array(result.k);
  }

  /** Merges row `row` of a ranking into those of a query. */
  merge(query: number, row: number, { length, scores, indices, firstId }: BlockRanking): void {
    const { k } = this.#result;
    const oldScores = this.#result.scores.subarray(query * k, (query + 1) * k);
    const oldIds = this.#result.ids.subarray(query * k, (query + 1) * k);
    const end = (row + 1) * length;
    let next = row * length;
    let old = 0;
    // What is better than all of the block stays where it is.
    while (old < k && oldIds[old] >= 0 && oldScores[old] >= scores[next]) old++;
    const first = old;
    for (let place = first; place < k; place++) {
      const keep = next === end || (oldIds[old] >= 0 && oldScores[old] >= scores[next]);
      this.#scores[place] = keep ? oldScores[old] : scores[next];
      this.#ids[place] = keep ? oldIds[old] : firstId + indices[next];
      if (keep) old++;
      else next++;
    }
    oldScores.set(this.#scores.subarray(first), first);
    oldIds.set(this.#ids.subarray(first), first);
  }
}
