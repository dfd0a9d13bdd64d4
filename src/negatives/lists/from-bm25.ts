import { type Bm25Index, Bm25SearchPool, type RankOptions } from '../../index/bm25/index.js';
import { documentNumber, type IdNumbers } from '../positives.js';
import type { RankedList } from '../rules/rule.js';

/** A query by number, with its text. */
export interface QueryText {
  query: number;
  text: string;
}

export interface Bm25ListsOptions extends Omit<RankOptions, 'k'> {
  /** Documents ranked for each query. */
  depth: number;
  /** Default: as many as the machine runs at once. */
  threads?: number;
  /** The collection's number of each document of the index; see {@link documentNumbers}. Default: the same. */
  numbers?: Int32Array;
}

/** Queries searched before their lists are passed on: what bounds the memory. */
const QUERIES_AT_ONCE = 1000;

/**
 * Ranks the queries with BM25, on several threads.
 *
 * @example
 * const index = await openBm25Index('indexes/scifact');
 * for await (const { query, ids } of listsFromBm25(index, queries, { depth: 200 })) console.log(query, ids[0]);
 */
export async function* listsFromBm25(
  index: Bm25Index,
  queries: readonly QueryText[],
  options: Bm25ListsOptions,
): AsyncGenerator<RankedList> {
  const { depth, threads, numbers, ...rankOptions } = options;
  const pool = new Bm25SearchPool(index, { threads });
  try {
    for (let first = 0; first < queries.length; first += QUERIES_AT_ONCE) {
      const some = queries.slice(first, first + QUERIES_AT_ONCE);
      const texts = some.map(({ text }) => text);
      const rankings = await pool.search(texts, { ...rankOptions, k: depth });
      for (const [i, { ids, scores }] of rankings.entries()) {
        yield {
          query: some[i].query,
          ids: numbers ? ids.map((id) => numbers[id]) : ids,
          scores: Float32Array.from(scores),
        };
      }
    }
  } finally {
    await pool.close();
  }
}

/** The collection's number of each document of an index that was built elsewhere, maybe in another order. */
export function documentNumbers(index: Bm25Index, documents: IdNumbers): Int32Array {
  return Int32Array.from({ length: index.documents }, (_, document) =>
    documentNumber(index.documentId(document), documents, 'BM25 index'),
  );
}
