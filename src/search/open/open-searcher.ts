import { availableParallelism } from 'node:os';
import { NearmissError } from '../../base/errors.js';
import { openDataset } from '../../data/open.js';
import { type Bm25Index, openBm25Index } from '../../index/bm25/index.js';
import { readDocumentFiles } from '../../index/vectors/document-files.js';
import { DocumentIndex } from '../../index/vectors/document-index.js';
import { IndexFolder } from '../../index/vectors/index-folder.js';
import { openVectorIndexInWorker } from '../../index/vectors/worker-index.js';
import { BatchedEmbedder } from '../batched-embedder.js';
import { DenseIndex } from '../dense-index.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import type { Embedder } from '../embedder.js';
import { FilteredDocuments } from '../filtered-documents.js';
import type { Reranker } from '../reranker.js';
import type { SearchMode } from '../retriever.js';
import type { OpenSearcherOptions, Searcher } from '../searcher.js';
import { openCrossEncoderInWorker, openEmbedderInWorker } from '../workers/worker-models.js';
import { Closing } from './closing.js';
import { OpenedSearcher, type SearcherParts } from './opened-searcher.js';
import { type Preparation, prepareBm25, prepareVectors } from './prepare.js';
import { resolveTarget, type Target } from './target.js';
import { readTunedFusion } from './tuned-fusion.js';

/**
 * Opens a run, an index or a collection for searching. What is missing and can be made (a store of the documents, a
 * BM25 index, with `model` the vectors of a collection) is made once and kept.
 *
 * @param path a run, a vector index (with `model` and `data`), a BM25 index, or a collection
 * @example
 * const searcher = await openSearcher('runs/medquad');
 * const [hits] = await searcher.retriever('hybrid').search(['what causes anemia'], { k: 10 });
 * await searcher.close();
 */
export async function openSearcher(path: string, options: OpenSearcherOptions = {}): Promise<Searcher> {
  const target = await resolveTarget(path, options);
  checkParts(path, target, options);
  const closing = new Closing();
  try {
    const withVectors = needs(options, WITH_VECTORS) && target.model !== undefined;
    const [preparation, embedder, encoded, reranker] = await closing.all([
      prepareStore(target, options, closing),
      withVectors ? closing.add(openEmbedder(target.model!, options)) : undefined,
      withVectors && target.vectors !== undefined
        ? closing.add(openDocuments(target.vectors, options))
        : undefined,
      options.reranker === undefined ? undefined : closing.add(openReranker(options.reranker, options)),
    ]);
    const filters = new FilteredDocuments(preparation?.store);
    const [words, vectors] = await closing.all([
      needs(options, WITH_WORDS) ? openWords(target, preparation, options) : undefined,
      embedder && openVectors({ target, preparation, embedder, encoded, filters, options, closing }),
    ]);
    const parts: SearcherParts = {
      name: target.name,
      store: preparation?.store,
      filters,
      words,
      vectors,
      reranker,
      rerankDepth: options.rerankDepth,
      trained: target.trained,
    };
    return await assemble(parts, target, options);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

const WITH_WORDS: readonly SearchMode[] = ['bm25', 'hybrid', 'cascade'];
const WITH_VECTORS: readonly SearchMode[] = ['dense', 'hybrid', 'cascade'];

function needs({ modes }: OpenSearcherOptions, part: readonly SearchMode[]): boolean {
  return modes === undefined || modes.some((mode) => part.includes(mode));
}

function checkParts(path: string, target: Target, options: OpenSearcherOptions): void {
  if (target.model !== undefined || !needs(options, WITH_VECTORS)) return;
  if (target.vectors !== undefined) {
    throw new NearmissError(`${path}: an index by itself cannot encode queries`, {
      hint: 'name the model that encoded it with --model',
    });
  }
  if (target.data === undefined && target.bm25 === undefined) {
    throw new NearmissError(`${path}: this run has no measured model yet`, {
      hint: 'wait for its first evaluation',
    });
  }
}

async function assemble(
  parts: SearcherParts,
  { cache }: Target,
  { fusion, modes, onNote }: OpenSearcherOptions,
): Promise<Searcher> {
  const searcher = new OpenedSearcher(parts, fusion);
  if (modes) for (const mode of modes) searcher.retriever(mode);
  if (fusion || !searcher.modes.includes('hybrid')) return searcher;
  const tuned = await readTunedFusion(cache, { version: searcher.version, onNote });
  return tuned ? new OpenedSearcher(parts, tuned) : searcher;
}

async function prepareStore(
  { data, cache }: Target,
  { onProgress }: OpenSearcherOptions,
  closing: Closing,
): Promise<Preparation | undefined> {
  if (data === undefined) return undefined;
  const dataset = await openDataset(data);
  const folder = `${cache}/documents`;
  const store = await closing.add(
    StoredDocuments.open(folder, dataset, {
      onBuild: () =>
        onProgress?.({ label: 'store documents', unit: 'documents', place: folder }) ?? NOBODY_WATCHES,
    }),
  );
  return { dataset, store, cache, onProgress };
}

const NOBODY_WATCHES = { advance: (): void => {}, finish: (): void => {} };

async function openWords(
  { bm25 }: Target,
  preparation: Preparation | undefined,
  { threads, inWorkers }: OpenSearcherOptions,
): Promise<SearcherParts['words']> {
  const index = await openBm25(bm25, preparation);
  // A pool of one thread would compute in the caller's.
  return (
    index && { index, threads: inWorkers ? Math.max(2, threads ?? availableParallelism()) : (threads ?? 1) }
  );
}

/** An index of another state of the collection (a run's, after documents were added) gives way to a new one. */
async function openBm25(
  folder: string | undefined,
  preparation: Preparation | undefined,
): Promise<Bm25Index | undefined> {
  const index = folder === undefined ? undefined : await openBm25Index(folder);
  if (!preparation) return index;
  return index?.documents === preparation.store.count ? index : prepareBm25(preparation);
}

async function openVectors(parts: {
  target: Target;
  preparation: Preparation | undefined;
  embedder: Embedder;
  /** The index that was there, opened while the model was. */
  encoded: DocumentIndex | undefined;
  filters: FilteredDocuments;
  options: OpenSearcherOptions;
  closing: Closing;
}): Promise<SearcherParts['vectors']> {
  const { target, preparation, embedder, encoded, filters, options, closing } = parts;
  const folder = target.vectors ?? (preparation && (await prepareVectors(preparation, embedder)));
  if (folder === undefined) return undefined;
  const documents = encoded ?? (await closing.add(openDocuments(folder, options)));
  const index = new DenseIndex(documents, filters);
  if (embedder.info.dimension !== index.dimension) {
    throw new NearmissError(
      `${target.model} makes vectors of ${embedder.info.dimension} numbers, ${folder} holds ${index.dimension}`,
      { hint: 'name the model that encoded the index' },
    );
  }
  return { embedder, index, fingerprint: documents.vectors.metadata.fingerprint };
}

/* What computes in this thread is imported where it is needed: with workers only they load the native libraries. */

async function openDocuments(folder: string, options: OpenSearcherOptions): Promise<DocumentIndex> {
  const { threads, inWorkers } = options;
  const open = { threads, session: sessionOf(options) };
  if (!inWorkers) return (await import('../../index/vectors/open.js')).openDocumentIndex(folder, open);
  const documents = await readDocumentFiles(await IndexFolder.open(folder));
  return new DocumentIndex({ vectors: await openVectorIndexInWorker(folder, open), ...documents });
}

async function openEmbedder(model: string, options: OpenSearcherOptions): Promise<Embedder> {
  const session = sessionOf(options);
  const embedder = options.inWorkers
    ? await openEmbedderInWorker(model, session)
    : await (await import('../embedder.js')).LocalEmbedder.open(model, session);
  return new BatchedEmbedder(embedder);
}

async function openReranker(model: string, options: OpenSearcherOptions): Promise<Reranker> {
  const session = sessionOf(options);
  if (options.inWorkers) return openCrossEncoderInWorker(model, session);
  return (await import('../cross-encoder-reranker.js')).openCrossEncoder(model, session);
}

/** Workers share the cores: threads of one that spin while they wait take them from the others. */
function sessionOf({ threads, session, inWorkers }: OpenSearcherOptions): OpenSearcherOptions['session'] {
  return { threads, ...(inWorkers && { spinning: false }), ...session };
}
