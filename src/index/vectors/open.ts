import { NearmissError } from '../../base/errors.js';
import type { SessionOptions } from '../../engine/index.js';
import { type Documents, readDocumentFiles, readRowDocuments } from './document-files.js';
import { DocumentIndex } from './document-index.js';
import { FlatIndex } from './flat.js';
import { IndexFolder, type IndexFolderOptions } from './index-folder.js';
import { openUnchanged } from './open-unchanged.js';
import type { VectorIndex, VectorSearcher } from './vector-index.js';

export interface OpenOptions extends IndexFolderOptions {
  /**
   * `memory` (default) reads the index, of int8 and binary the codes. `disk` leaves everything in its file: flat search then
   * reads all vectors each time, hnsw search maps the file and touches what it needs, int8 and binary read the codes of
   * the lists they look into. An index of tokens stays on disk from 1 GB on, unless told otherwise.
   */
  access?: 'memory' | 'disk';
  /**
   * Whether to compare checksums, as is the default: while a file is read into memory, of a flat index on disk when a
   * block is first read, of a graph on disk before it is mapped, which takes as long as reading it once.
   */
  verify?: boolean;
  /** Threads of a search; all cores when left out. */
  threads?: number;
  /** Execution provider and other options of the engine, for flat search. */
  session?: SessionOptions;
}

/** Opens the index in a folder. */
export async function openVectorIndex(path: string, options: OpenOptions = {}): Promise<VectorIndex> {
  return openFolder(await IndexFolder.open(path, options), options);
}

/** Opens the index in a folder together with the documents and ids that were saved beside it. */
export async function openDocumentIndex(path: string, options: OpenOptions = {}): Promise<DocumentIndex> {
  return openUnchanged(path, async () => {
    const folder = await IndexFolder.open(path, options);
    const documents = await readDocumentFiles(folder);
    return new DocumentIndex({ vectors: await openSearcher(folder, options), ...documents });
  });
}

/** Opens the index in a folder to search it, by late interaction where it was made for that. */
export async function openSearchIndex(path: string, options: OpenOptions = {}): Promise<VectorSearcher> {
  return openSearcher(await IndexFolder.open(path, options), options);
}

async function openSearcher(folder: IndexFolder, options: OpenOptions): Promise<VectorSearcher> {
  const { type, scorer } = folder.metadata;
  const { access = 'memory', threads } = options;
  const session = { threads, ...options.session };
  if (type === 'tokens') {
    const { TokenIndex } = await import('../tokens/token-index.js');
    return TokenIndex.open(folder, { access: options.access, session });
  }
  if (type === 'impacts') return (await import('../impacts/impact-index.js')).ImpactIndex.open(folder);
  if (type === 'remote') {
    return (await import('../engines/remote-index.js')).RemoteIndex.open(folder.metadata);
  }
  if (type !== 'flat' || scorer === undefined) return openFolder(folder, options);
  const flat = await FlatIndex.open(folder, { access, session });
  return searchByScorer(flat, scorer === 'poly' ? {} : await readRowDocuments(folder), session);
}

/** Searches rows as the scorer compares them that their index was made for. */
export async function searchByScorer(
  rows: FlatIndex,
  documents: Documents,
  session?: SessionOptions,
): Promise<VectorSearcher> {
  const { scorer } = rows.metadata;
  if (scorer === undefined) return rows;
  if (scorer === 'poly') return new (await import('../tokens/poly-search.js')).PolySearch(rows);
  return (await import('../tokens/exact-tokens.js')).ExactTokens.open(rows, documents, session);
}

async function openFolder(folder: IndexFolder, options: OpenOptions): Promise<VectorIndex> {
  const { access = 'memory', verify, threads } = options;
  const { type } = folder.metadata;
  if (type === 'tokens' || type === 'impacts') {
    const what = type === 'tokens' ? 'tokens for late interaction' : 'terms and their weights';
    throw new NearmissError(`${folder.path}: an index of ${what} has no vectors to search`, {
      hint: 'search it with the model that made it: nearmiss search FOLDER --model MODEL',
    });
  }
  if (type === 'remote') {
    throw new NearmissError(
      `${folder.path}: these vectors are in an engine: ${folder.metadata.remote?.address}`,
      {
        hint: 'search the folder; its vectors are not here',
      },
    );
  }
  if (type === 'hnsw') {
    return (await import('./hnsw/hnsw-index.js')).HnswIndex.open(folder, { access, verify, threads });
  }
  const session = { threads, ...options.session };
  if (type === 'flat') return FlatIndex.open(folder, { access, session });
  return (await import('../quantized/quantized-index.js')).QuantizedIndex.open(folder, { access, session });
}
