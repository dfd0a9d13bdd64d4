import { availableParallelism } from 'node:os';
import { NearmissError } from '../../base/errors.js';
import type { Bm25Index } from '../../index/bm25/index.js';
import type { Opening } from '../open/opening.js';
import type { Mode } from './mode.js';
import type { OpenMode } from './open-mode.js';

/** Finds documents by their words. */
export const bm25: Mode = {
  name: 'bm25',
  needs: { what: 'a collection', flags: ['--data'] },

  async open(opening): Promise<OpenMode | undefined> {
    const { filters, options, closing } = opening;
    const index = await openIndex(opening);
    if (index === undefined) return undefined;
    const [{ Bm25Retriever }, { LiveBm25 }] = await Promise.all([
      import('./bm25-retriever.js'),
      import('../live/overlay/live-bm25.js'),
    ]);
    // A pool of one thread would compute in the caller's.
    const threads = options.inWorkers
      ? Math.max(2, options.threads ?? availableParallelism())
      : options.threads;
    const retriever = await closing.add(new Bm25Retriever({ index, filters, threads }));
    return {
      preference: 0,
      fingerprint: index.meta.files,
      words: retriever.words,
      retriever: () => retriever,
      live: () => new LiveBm25(retriever),
    };
  },
};

/** An index of another state of the collection (a run's, after documents were added or edited) gives way to a new one. */
async function openIndex({ target, preparation }: Opening): Promise<Bm25Index | undefined> {
  const { openBm25Index } = await import('../../index/bm25/open.js');
  const opening = target.bm25 === undefined ? undefined : openBm25Index(target.bm25);
  if (preparation === undefined) return opening;
  const index = await opening?.catch((error) => {
    // A run's own index can be made again; one that a person named is theirs to mend.
    if (!target.trained || !(error instanceof NearmissError)) throw error;
    preparation.onNote?.(`${error.message}; another index is used in its place`);
    return undefined;
  });
  if (index?.meta.content === preparation.store.content) return index;
  const { prepareBm25 } = await import('../open/prepare.js');
  return prepareBm25(preparation, index?.meta.language);
}
