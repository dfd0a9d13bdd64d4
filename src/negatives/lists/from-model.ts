import { createVectorIndex } from '../../index/vectors/index.js';
import type { Encoder } from '../../model/encoder/encoder.js';
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
  const builder = createVectorIndex({ dimension: encoder.dimension, model: encoder.model.name });
  let texts: string[] = [];
  const addTexts = async (): Promise<void> => {
    await builder.add(await encoder.encode(texts, { use: 'document' }));
    onDocuments?.(texts.length);
    texts = [];
  };
  for await (const text of documents) {
    texts.push(text);
    if (texts.length === TEXTS_AT_ONCE) await addTexts();
  }
  if (texts.length > 0) await addTexts();
  const index = await builder.finish();
  try {
    yield* listsFromVectors(index, encodeQueries(encoder, queries), { depth });
  } finally {
    await index.close();
  }
}

async function* encodeQueries(encoder: Encoder, queries: readonly QueryText[]): AsyncGenerator<QueryVectors> {
  for (let first = 0; first < queries.length; first += TEXTS_AT_ONCE) {
    const some = queries.slice(first, first + TEXTS_AT_ONCE);
    const texts = some.map(({ text }) => text);
    yield { queries: some.map(({ query }) => query), vectors: await encoder.encode(texts, { use: 'query' }) };
  }
}
