import { availableParallelism } from 'node:os';
import { NearmissError } from '../../base/errors.js';
import { describeLeftOut } from '../../data/left-out.js';
import { openDataset } from '../../data/open.js';
import { type Bm25Index, openBm25Index } from '../../index/bm25/index.js';
import type { DocumentIndex } from '../../index/vectors/document-index.js';
import { removeAndRepeat } from '../../index/vectors/index-folder.js';
import { DenseIndex } from '../dense-index.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import type { Embedder } from '../embedder.js';
import { FilteredDocuments } from '../filter/filtered-documents.js';
import { Bm25Retriever } from '../retrievers/bm25-retriever.js';
import type { HybridOptions } from '../retrievers/hybrid-retriever.js';
import type { Reranker } from '../retrievers/reranker.js';
import type { OpenSearcherOptions } from '../searcher.js';
import type { Closing } from './closing.js';
import { presentDocuments } from './collection-changes.js';
import { openEncodedDocuments } from './computing-parts.js';
import { needsWords, requiredModes } from './needs.js';
import { OpenedSearcher, type SearcherParts } from './opened-searcher.js';
import { type Preparation, prepareBm25, prepareVectors } from './prepare.js';
import type { Target } from './target.js';
import { readTunedFusion } from './tuned-fusion.js';
import { indexVersion } from './version.js';

export interface Opening {
  target: Target;
  options: OpenSearcherOptions;
  closing: Closing;
  /** What is being opened already. */
  computing: Promise<[Embedder | undefined, DocumentIndex | undefined, Reranker | undefined]>;
}

/** Opens what is missing beside the parts that compute, and makes a searcher of all. */
export async function assembleSearcher({
  target,
  options,
  closing,
  computing,
}: Opening): Promise<OpenedSearcher> {
  const [preparation, [embedder, encoded, reranker]] = await closing.all([
    prepareStore(target, options, closing),
    computing,
  ]);
  const filters = new FilteredDocuments(preparation?.store, options.onUnknownField);
  const [words, vectors] = await closing.all([
    needsWords(options) ? openWords({ target, preparation, filters, options, closing }) : undefined,
    embedder && openVectors({ target, preparation, embedder, encoded, filters, options, closing }),
  ]);
  const parts: SearcherParts = {
    name: target.name,
    store: preparation?.store,
    words,
    vectors,
    reranker,
    rerankDepth: options.rerankDepth,
    rerankFirst: options.rerankFirst,
    trained: target.trained,
  };
  const searcher = new OpenedSearcher(parts, await fusionOf(parts, target, options));
  for (const mode of requiredModes(options)) searcher.retriever(mode);
  return searcher;
}

/** How hybrid fuses, where there is one: as asked for, else as tuned. */
async function fusionOf(
  parts: SearcherParts,
  { cache }: Target,
  { fusion, onNote }: OpenSearcherOptions,
): Promise<HybridOptions | undefined> {
  if (fusion || !parts.words || !parts.vectors) return fusion;
  return readTunedFusion(cache, { version: indexVersion(parts), onNote });
}

async function prepareStore(
  { data, cache }: Target,
  { onProgress, onNote }: OpenSearcherOptions,
  closing: Closing,
): Promise<Preparation | undefined> {
  if (data === undefined) return undefined;
  const dataset = await openDataset(data);
  const folder = `${cache}/documents`;
  const store = await closing.add(
    StoredDocuments.open(folder, dataset, {
      onBuild: () => {
        const leftOut = describeLeftOut(dataset.sources.leftOut);
        if (leftOut !== undefined) onNote?.(leftOut);
        return onProgress?.({ label: 'store documents', unit: 'documents', place: folder }) ?? NOBODY_WATCHES;
      },
    }),
  );
  return { dataset, store, cache, onProgress, onNote };
}

const NOBODY_WATCHES = { advance: (): void => {}, finish: (): void => {} };

async function openWords(parts: {
  target: Target;
  preparation: Preparation | undefined;
  filters: FilteredDocuments;
  options: OpenSearcherOptions;
  closing: Closing;
}): Promise<Bm25Retriever | undefined> {
  const { target, preparation, filters, options, closing } = parts;
  const { threads, inWorkers } = options;
  const index = await openBm25(target, preparation);
  // A pool of one thread would compute in the caller's.
  const ofPool = inWorkers ? Math.max(2, threads ?? availableParallelism()) : threads;
  // The pool's threads run from the moment it is made, so it is closed with the rest if something fails later.
  return index && closing.add(new Bm25Retriever({ index, filters, threads: ofPool }));
}

/** An index of another state of the collection (a run's, after documents were added or edited) gives way to a new one. */
async function openBm25(
  { bm25, trained }: Target,
  preparation: Preparation | undefined,
): Promise<Bm25Index | undefined> {
  const opening = bm25 === undefined ? undefined : openBm25Index(bm25);
  if (!preparation) return opening;
  const index = await opening?.catch((error) => {
    // A run's own index can be made again; one that a person named is theirs to mend.
    if (!trained || !(error instanceof NearmissError)) throw error;
    preparation.onNote?.(`${error.message}; another index is used in its place`);
    return undefined;
  });
  return index?.meta.content === preparation.store.content
    ? index
    : prepareBm25(preparation, index?.meta.language);
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
  const open = (folder: string) => openEncodedDocuments(folder, options, removeAndRepeat(folder));
  const documents =
    encoded ?? (preparation && (await closing.add(prepareVectors(preparation, embedder, open))));
  if (documents === undefined) return undefined;
  const index = new DenseIndex(documents, filters, presentDocuments(documents, target, preparation));
  if (embedder.info.dimension !== index.dimension) {
    throw new NearmissError(
      `${target.model} makes vectors of ${embedder.info.dimension} numbers, ${target.vectors} holds ${index.dimension}`,
      { hint: 'name the model that encoded the index' },
    );
  }
  const { fingerprint } = documents.vectors.metadata;
  const split = target.split ?? { maxPieces: 1, pieceLength: embedder.info.maxLength };
  return { embedder, index, fingerprint, split };
}
