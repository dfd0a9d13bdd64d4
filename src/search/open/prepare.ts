import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '../../base/file-lock.js';
import { exists } from '../../base/files.js';
import { fullText } from '../../data/dataset.js';
import type { SourcesDataset } from '../../data/sources-dataset.js';
import { type Bm25Index, buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import type { Language } from '../../text/analyzers/index.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { Embedder } from '../embedder.js';
import type { OpenSearcherOptions } from '../searcher.js';

export interface Preparation {
  dataset: SourcesDataset;
  store: StoredDocuments;
  /** Where to keep what is made. */
  cache: string;
  onProgress?: OpenSearcherOptions['onProgress'];
}

/** Documents encoded and written at once. */
const DOCUMENTS_AT_ONCE = 1024;
/** Of a hash in a folder's name. */
const HASH_DIGITS = 12;

/** The BM25 index of a collection, built once for each of its states. */
export async function prepareBm25(
  { dataset, store, cache, onProgress }: Preparation,
  language: Language = 'en',
): Promise<Bm25Index> {
  const analyzed = language === 'en' ? '' : `${language}-`;
  const folder = join(cache, `bm25-${analyzed}${store.content.slice(0, HASH_DIGITS)}`);
  await makeOnce(folder, 'bm25-', async () => {
    const step = { label: 'index words', unit: 'documents', total: store.count, place: folder };
    const progress = onProgress?.(step);
    await buildBm25Index(folder, dataset.documents(), { language, onDocument: () => progress?.advance(1) });
    progress?.finish();
  });
  return openBm25Index(folder);
}

/** The folder with the vectors of a collection, made once for each of its states and models. */
export async function prepareVectors(preparation: Preparation, embedder: Embedder): Promise<string> {
  const { store, cache, onProgress } = preparation;
  const { name, dimension, fingerprint } = embedder.info;
  const model = fingerprint.slice(0, HASH_DIGITS);
  const folder = join(cache, `vectors-${model}-${store.content.slice(0, HASH_DIGITS)}`);
  await makeOnce(folder, `vectors-${model}-`, async () => {
    const { documentFiles, documentsFromIds, writeVectorIndex } = await import(
      '../../index/vectors/index.js'
    );
    const step = { label: `encode with ${name}`, unit: 'documents', total: store.count, place: folder };
    const progress = onProgress?.(step);
    const vectors = encodeAll(preparation, embedder, (documents) => progress?.advance(documents));
    const extra = documentFiles(documentsFromIds(store.ids(), folder));
    await writeVectorIndex(folder, vectors, { dimension, model: name, extra });
    progress?.finish();
  });
  return folder;
}

async function* encodeAll(
  { dataset }: Preparation,
  embedder: Embedder,
  onDone: (documents: number) => void,
): AsyncGenerator<Float32Array> {
  let texts: string[] = [];
  const encode = async (): Promise<Float32Array> => {
    const vectors = await embedder.encode(texts, 'document');
    onDone(texts.length);
    texts = [];
    return vectors;
  };
  for await (const document of dataset.documents()) {
    texts.push(fullText(document));
    if (texts.length === DOCUMENTS_AT_ONCE) yield await encode();
  }
  if (texts.length > 0) yield await encode();
}

/** Makes a folder unless it is there, in one process at a time, and then removes those of former states. */
async function makeOnce(folder: string, prefix: string, make: () => Promise<void>): Promise<void> {
  if (await exists(folder)) return;
  await withFileLock(`${folder}.lock`, async () => {
    if (await exists(folder)) return;
    await make();
    const parent = join(folder, '..');
    for (const name of await readdir(parent)) {
      const path = join(parent, name);
      if (name.startsWith(prefix) && path !== folder && !name.endsWith('.lock')) {
        await rm(path, { recursive: true, force: true });
      }
    }
  });
}
