import { NearmissError } from '../../base/errors.js';
import type { DocumentIndex, VectorSearcher } from '../../index/vectors/index.js';
import { oneRowEach } from '../../model/encoder/encoded-texts.js';
import type { RankedList } from '../rules/rule.js';

/** Some queries and their vectors, one after another. */
export interface QueryVectors {
  queries: ArrayLike<number>;
  vectors: Float32Array;
  /** Of queries with several rows: those of query `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets?: Uint32Array;
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
  for await (const { queries, vectors, offsets = oneRowEach(queries.length) } of blocks) {
    const dimension = vectors.length / offsets[queries.length];
    for (let first = 0; first < queries.length; first += QUERIES_AT_ONCE) {
      const last = Math.min(queries.length, first + QUERIES_AT_ONCE);
      const some = vectors.subarray(offsets[first] * dimension, offsets[last] * dimension);
      const queryOffsets = offsets.subarray(first, last + 1).map((offset) => offset - offsets[first]);
      checkFinite(some, (at) => {
        const row = Math.floor(at / dimension);
        return queries[first + queryOffsets.findLastIndex((offset) => offset <= row)];
      });
      const { k, ids, scores } = await index.search(some, { k: depth, efSearch, queryOffsets });
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
