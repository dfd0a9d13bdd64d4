import { inRankOrder, type Ranking } from '../../evaluate/index.js';
import type { Encoder } from '../../model/index.js';
import type { TrainingData } from '../../run/training-data.js';
import { type Bm25Collection, bm25Rankings } from './bm25.js';

/** A model and the collection as it encodes it. */
export interface RankingModel {
  data: TrainingData;
  queryEncoder: Encoder;
  corpus: {
    search(
      queries: Float32Array,
      k: number,
      queryOffsets?: Uint32Array,
    ): Promise<{ ids: Int32Array; scores: Float32Array; k: number }>;
  };
}

/** What a model finds for some queries, by their ids; equal scores in the order of trec_eval. */
export async function modelRankings(
  { data, queryEncoder, corpus }: RankingModel,
  queries: ArrayLike<number>,
  k: number,
): Promise<Map<string, Ranking>> {
  const { vectors, offsets } = await queryEncoder.encodeTokens(await data.queries.texts(queries));
  const found = await corpus.search(vectors, k, offsets);
  return new Map(
    Array.from(queries, (query, i) => {
      // An approximate index may find less than was asked for.
      const ids = found.ids.subarray(i * found.k, (i + 1) * found.k).filter((id) => id >= 0);
      const scores = Float64Array.from(found.scores.subarray(i * found.k, i * found.k + ids.length));
      return [data.queries.cache.id(query), inRankOrder({ ids: documentIds(data, ids), scores })];
    }),
  );
}

/** What BM25 finds for some queries, in the same shape. */
export async function sparseRankings(
  collection: Bm25Collection,
  queries: ArrayLike<number>,
  k: number,
): Promise<Map<string, Ranking>> {
  const found = await bm25Rankings(collection, queries, k);
  return new Map(
    [...found].map(([query, { ids, scores }]) => [
      collection.data.queries.cache.id(query),
      inRankOrder({ ids: documentIds(collection.data, ids), scores }),
    ]),
  );
}

function documentIds({ documents }: TrainingData, numbers: ArrayLike<number>): string[] {
  return Array.from(numbers, (number) => documents.cache.id(number));
}
