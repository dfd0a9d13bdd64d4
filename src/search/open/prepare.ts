import { join } from 'node:path';
import type { SourcesDataset } from '../../data/sources-dataset.js';
import { type Bm25Index, buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import type { Language } from '../../text/analyzers/index.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { openKept } from './kept-folder.js';
import { HASH_DIGITS } from './vectors-folder.js';

export interface Preparation {
  dataset: SourcesDataset;
  store: StoredDocuments;
  /** Where to keep what is made. */
  cache: string;
  onProgress?: OpenSearcherOptions['onProgress'];
  onNote?: OpenSearcherOptions['onNote'];
  mayEncode?: OpenSearcherOptions['mayEncode'];
  signal?: OpenSearcherOptions['signal'];
}

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
