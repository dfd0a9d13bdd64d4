import { join } from 'node:path';
import { type Document, fullText } from '../../data/dataset.js';
import type { SourcesDataset } from '../../data/sources-dataset.js';
import { type Bm25Index, buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import type { DocumentIndex } from '../../index/vectors/document-index.js';
import { type EncodedShard, encodeCollection } from '../../model/encoder/encode-collection.js';
import { OffsetsBuilder } from '../../model/encoder/encoded-texts.js';
import { ShardFolder } from '../../model/encoder/shard-folder.js';
import type { Language } from '../../text/analyzers/index.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { Embedder } from '../embedder.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { openKept } from './kept-folder.js';

export interface Preparation {
  dataset: SourcesDataset;
  store: StoredDocuments;
  /** Where to keep what is made. */
  cache: string;
  onProgress?: OpenSearcherOptions['onProgress'];
  onNote?: OpenSearcherOptions['onNote'];
}

/** Documents encoded and written at once: what is lost when it is killed. */
const DOCUMENTS_AT_ONCE = 1024;
/** Of a hash in a folder's name. */
const HASH_DIGITS = 12;

/** The BM25 index of a collection, built once for each of its states. */
export async function prepareBm25(preparation: Preparation, language: Language = 'en'): Promise<Bm25Index> {
  const { dataset, store, cache, onProgress, onNote } = preparation;
  const analyzed = language === 'en' ? '' : `${language}-`;
  const folder = join(cache, `bm25-${analyzed}${store.content.slice(0, HASH_DIGITS)}`);
  const make = async (): Promise<void> => {
    const step = { label: 'index words', unit: 'documents', total: store.count, place: folder };
    const progress = onProgress?.(step);
    await buildBm25Index(folder, dataset.documents(), { language, onDocument: () => progress?.advance(1) });
    progress?.finish();
  };
  return openKept({ folder, prefix: 'bm25-', make, open: () => openBm25Index(folder), onNote });
}

/**
 * The vectors of a collection, made once for each of its states and models.
 *
 * @param openIndex opens the folder that has them
 */
export async function prepareVectors(
  preparation: Preparation,
  embedder: Embedder,
  openIndex: (folder: string) => Promise<DocumentIndex>,
): Promise<DocumentIndex> {
  const { dataset, store, cache, onProgress, onNote } = preparation;
  const { name, dimension, fingerprint } = embedder.info;
  const model = fingerprint.slice(0, HASH_DIGITS);
  const folder = join(cache, `vectors-${model}-${store.content.slice(0, HASH_DIGITS)}`);
  const make = async (): Promise<void> => {
    const { documentFiles, documentsFromIds, writeVectorIndex } = await import(
      '../../index/vectors/index.js'
    );
    const step = { label: `encode with ${name}`, unit: 'documents', total: store.count, place: folder };
    const progress = onProgress?.(step);
    const keep = new ShardFolder(`${folder}.shards`, { dimension });
    const rows = new OffsetsBuilder();
    async function* vectors(): AsyncGenerator<Float32Array> {
      for await (const shard of encodeDocuments(dataset, embedder, keep)) {
        rows.add(shard);
        progress?.advance(shard.members.length);
        yield shard.vectors;
      }
    }
    await writeVectorIndex(folder, vectors(), {
      dimension,
      model: name,
      extra: (files) =>
        documentFiles({ ...documentsFromIds(store.ids(), folder), offsets: rows.build() })(files),
    });
    await keep.remove();
    progress?.finish();
  };
  return openKept({ folder, prefix: `vectors-${model}-`, make, open: () => openIndex(folder), onNote });
}

function encodeDocuments(
  dataset: SourcesDataset,
  embedder: Embedder,
  keep: ShardFolder,
): AsyncGenerator<EncodedShard<Document>> {
  return encodeCollection(dataset.documents(), {
    encode: (documents) => embedder.encode(documents.map(fullText), 'document'),
    shardSize: DOCUMENTS_AT_ONCE,
    charactersOf: ({ text }) => text.length,
    keep,
  });
}
