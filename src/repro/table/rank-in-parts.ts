import type { RankedList } from '../../negatives/index.js';

/** Room for the rankings that are in memory at once: more means fewer passes over the vectors. */
const RANKING_BYTES = 512 * 2 ** 20;

/** What finds the best documents of queries, as a refreshed checkpoint does. */
export interface Ranker {
  search(queries: ArrayLike<number>, k: number): AsyncIterable<RankedList>;
}

/** Every query's ranking of all documents, so many queries at a time as their rankings have room. */
export async function* rankInParts(
  ranker: Ranker,
  queries: Int32Array,
  options: { documents: number; bytes?: number },
): AsyncGenerator<RankedList> {
  const { documents, bytes = RANKING_BYTES } = options;
  // A number and a score for each document.
  const atOnce = Math.max(1, Math.floor(bytes / (8 * documents)));
  for (let first = 0; first < queries.length; first += atOnce) {
    yield* ranker.search(queries.subarray(first, first + atOnce), documents);
  }
}
