import { NearmissError } from '../../base/errors.js';
import type { DocumentIndex, VectorSearcher } from '../../index/vectors/index.js';
import type { RankedList } from '../rules/rule.js';

/** Some queries and their vectors, one after another. */
export interface QueryVectors {
  queries: ArrayLike<number>;
  vectors: Float32Array;
}

export interface VectorListsOptions {
  /** Documents ranked for each query. */
  depth: number;
  /** See `SearchOptions.efSearch`. */
  efSearch?: number;
}

/** Queries searched at once: what bounds the memory. */
const QUERIES_AT_ONCE = 256;

/**
 * Ranks queries by their vectors. The index's ids are the collection's document numbers; a DocumentIndex does for
 * documents of several vectors.
 *
 * @example
 * const lists = listsFromVectors(index, [{ queries: [0, 1], vectors }], { depth: 200 });
 * for await (const { query, ids } of lists) console.log(query, ids[0]);
 */
export async function* listsFromVectors(
  index: Pick<VectorSearcher | DocumentIndex, 'search'>,
  blocks: AsyncIterable<QueryVectors> | Iterable<QueryVectors>,
  { depth, efSearch }: VectorListsOptions,
): AsyncGenerator<RankedList> {
  for await (const { queries, vectors } of blocks) {
    const dimension = vectors.length / queries.length;
    for (let first = 0; first < queries.length; first += QUERIES_AT_ONCE) {
      const last = Math.min(queries.length, first + QUERIES_AT_ONCE);
      const some = vectors.subarray(first * dimension, last * dimension);
      checkFinite(some, (at) => queries[first + Math.floor(at / dimension)]);
      const { k, ids, scores } = await index.search(some, { k: depth, efSearch });
      for (let row = 0; row < last - first; row++) {
        const found = ids.subarray(row * k, (row + 1) * k);
        const none = found.indexOf(-1);
        const length = none < 0 ? k : none;
        yield {
          query: queries[first + row],
          ids: found.slice(0, length),
          scores: scores.slice(row * k, row * k + length),
        };
      }
    }
  }
}

function checkFinite(vectors: Float32Array, queryAt: (place: number) => number): void {
  const wrong = vectors.findIndex((component) => !Number.isFinite(component));
  if (wrong < 0) return;
  throw new NearmissError(
    `query ${queryAt(wrong)}: expected a vector of numbers, got ${vectors[wrong]} in it`,
    {
      hint: 'the model has most likely diverged: lower the learning rate and start from an earlier checkpoint',
    },
  );
}
