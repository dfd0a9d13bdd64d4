import { NearmissError } from '../../base/errors.js';
import type { OpenSearcherOptions, Searcher } from '../searcher.js';
import { Closing } from './closing.js';
import { openEmbedder, openEncodedDocuments, openReranker } from './computing-parts.js';
import { needsVectors } from './needs.js';
import type { OpenedSearcher } from './opened-searcher.js';
import { resolveTarget, type Target } from './target.js';

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
  const { opening } = await beginSearcher(path, options);
  return opening;
}

/** The same in two steps: the worker threads have been started when the first is done, e.g. before a long import. */
export async function beginSearcher(
  path: string,
  options: OpenSearcherOptions = {},
): Promise<{ opening: Promise<OpenedSearcher> }> {
  const target = await resolveTarget(path, options);
  checkParts(path, target, options);
  const opening = openTarget(target, options);
  opening.catch(() => undefined);
  return { opening };
}

async function openTarget(target: Target, options: OpenSearcherOptions): Promise<OpenedSearcher> {
  const { model, vectors } = target;
  const { reranker } = options;
  const closing = new Closing();
  try {
    const withVectors = needsVectors(options) && model !== undefined;
    const computing = closing.all([
      withVectors ? closing.add(openEmbedder(model, options)) : undefined,
      withVectors && vectors !== undefined
        ? closing.add(openEncodedDocuments(vectors, options, target.remedy))
        : undefined,
      reranker === undefined ? undefined : closing.add(openReranker(reranker, options)),
    ]);
    computing.catch(() => undefined);
    const { assembleSearcher } = await import('./assemble-searcher.js');
    return await assembleSearcher({ target, options, closing, computing });
  } catch (error) {
    await closing.close();
    throw error;
  }
}

function checkParts(path: string, target: Target, options: OpenSearcherOptions): void {
  if (target.model !== undefined || !needsVectors(options)) return;
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
