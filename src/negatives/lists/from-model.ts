import { findsDocuments } from '../../index/vectors/document-files.js';
import { DocumentIndex, FlatBuilder } from '../../index/vectors/index.js';
import { searchByScorer } from '../../index/vectors/open.js';
import { encodeCollection } from '../../model/encoder/collection/encode-collection.js';
import { OffsetsBuilder } from '../../model/encoder/encoded-texts.js';
import type { Encoder } from '../../model/encoder/encoder.js';
import { indexScorer } from '../../model/representation/kinds.js';
import type { RankedList } from '../rules/rule.js';
import type { QueryText } from './from-bm25.js';
import { listsFromVectors, type QueryVectors } from './from-vectors.js';

export interface ModelListsOptions {
  /** All documents, in the order of their numbers. */
  documents: AsyncIterable<string>;
  queries: readonly QueryText[];
  /** Documents ranked for each query. */
  depth: number;
  /** Told how many documents were encoded since the last call. */
  onDocuments?: (documents: number) => void;
}

/** Texts encoded at once; enough for batches of similar length. */
const TEXTS_AT_ONCE = 1024;

/**
 * Encodes the whole collection with a model and ranks the queries by exact search: what one refresh of ANCE does,
 * without a run around it.
 */
export async function* listsFromModel(
  encoder: Encoder,
  { documents, queries, depth, onDocuments }: ModelListsOptions,
): AsyncGenerator<RankedList> {
  const scorer = indexScorer(encoder.model.spec.head);
  const builder = new FlatBuilder({
    dimension: encoder.dimension,
    model: encoder.model.name,
    ...(scorer && { scorer }),
  });
  const rows = new OffsetsBuilder();
  const shards = encodeCollection(documents, {
    encode: (texts, onBatch) => encoder.encode(texts, { use: 'document', onBatch }),
    shardSize: TEXTS_AT_ONCE,
    charactersOf: ({ length }) => length,
  });
  for await (const shard of shards) {
    await builder.add(shard.vectors);
    rows.add(shard);
    onDocuments?.(shard.members.length);
  }
  const documentRows = { offsets: rows.build() };
  const vectors = await searchByScorer(await builder.finish(), documentRows);
  const index = findsDocuments(vectors.metadata) ? vectors : new DocumentIndex({ vectors, ...documentRows });
  try {
    yield* listsFromVectors(index, encodeQueries(encoder, queries), { depth });
  } finally {
    await index.close();
  }
}

async function* encodeQueries(encoder: Encoder, queries: readonly QueryText[]): AsyncGenerator<QueryVectors> {
  const textsOf = (some: readonly QueryText[]): string[] => some.map(({ text }) => text);
  const shards = encodeCollection(queries, {
    encode: (some, onBatch) => encoder.encode(textsOf(some), { use: 'query', onBatch }),
    shardSize: TEXTS_AT_ONCE,
  });
  for await (const { members, ...encoded } of shards) {
    yield { queries: members.map(({ query }) => query), ...encoded };
  }
}
