import { Closing } from '../../base/closing.js';
import type { OpenSearcherOptions, Searcher } from '../searcher.js';
import { ComputingParts } from './computing-parts.js';
import type { OpenedSearcher } from './opened-searcher.js';
import { resolveTarget } from './target.js';
import { wantedModes } from './wanted-modes.js';

/**
 * Opens a run, an index or a collection for searching. What is missing and can be made (a store of the documents, a
 * BM25 index, with `model` the vectors of a collection) is made once and kept.
 *
 * @param path a run, a vector index (with `model` and `data`), a BM25 index, or a collection
 * @example
 * const searcher = await openSearcher('runs/medquad');
 * for (const { score, text } of await searcher.search('what causes anemia', { k: 5 })) console.log(score, text);
 * await searcher.close();
 */
export async function openSearcher(path: string, options: OpenSearcherOptions = {}): Promise<Searcher> {
  const { opening } = await beginSearcher(path, options);
  return opening;
}

export interface BegunSearcher {
  opening: Promise<OpenedSearcher>;
  /** Done when it is known that there is something to search, long before all of it is ready. */
  found: Promise<void>;
}

/** The same in two steps: the worker threads have been started when the first is done, e.g. before a long import. */
export async function beginSearcher(path: string, options: OpenSearcherOptions = {}): Promise<BegunSearcher> {
  const modes = wantedModes(options);
  const target = await resolveTarget(path, options);
  const closing = new Closing();
  const computing = new ComputingParts(target, options, closing);
  const giveUp = async (error: unknown): Promise<never> => {
    await closing.close().catch(() => undefined);
    throw error;
  };
  try {
    for (const mode of modes) mode.start?.({ path, target, computing });
  } catch (error) {
    return giveUp(error);
  }
  void computing.reranker();
  const assemble = import('./assemble-searcher.js');
  const reading = assemble.then(({ openCollection }) => openCollection(target, options));
  const opening = assemble
    .then(({ assembleSearcher }) => assembleSearcher({ target, options, modes, computing, closing, reading }))
    .catch(giveUp);
  const found = reading.then(() => undefined);
  for (const promise of [opening, found]) promise.catch(() => undefined);
  return { opening, found };
}
