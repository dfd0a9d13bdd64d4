import type { Run } from '../evaluate/index.js';
import { leadingCheckpoint } from '../run/choose-best.js';
import type { RunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { beginSearcher } from '../search/open/open-searcher.js';
import type { SearchMode } from '../search/retrievers/retriever.js';
import { searchQueries } from '../search/search-queries.js';
import type { OpenSearcherOptions } from '../search/searcher.js';
import type { SplitQueries } from './split-queries.js';

/** How deep systems are searched, and so what is fused. */
export const DEPTH = 200;

export type SearchSystemsOptions = Pick<OpenSearcherOptions, 'threads' | 'session' | 'onProgress' | 'onNote'>;

/** Ways to search by words, alone or with the model. */
export type WordMode = 'bm25' | 'hybrid';

/** What a run's systems find, each by itself. */
export interface RunSearches<M extends WordMode = never> {
  start: Run;
  /** Of the run as it is served, by mode: with the model in `best/`, and fused as a search fuses. */
  served: Record<'dense' | M, Run>;
  /** Which model that is. */
  serves: 'start' | 'trained';
  /** Absent where no checkpoint has learned anything yet, or its vectors are gone. */
  trained?: Run;
  /** Of model, index and collection: what weights of a fusion are tuned for. */
  version: string;
}

/**
 * Searches queries with everything that a run has, as it is searched when it is served: the same index, and the model's
 * own length.
 *
 * @param words what else to search in, besides the vectors
 */
export async function searchRun<M extends WordMode>(
  run: RunDirectory,
  description: Pick<RunDescription, 'data' | 'recipe' | 'published'>,
  { queries }: SplitQueries,
  { words, ...options }: SearchSystemsOptions & { words: readonly M[] },
): Promise<RunSearches<M>> {
  const best = (await bestSoFar(run))!.step;
  const search = async <N extends SearchMode>(
    path: string,
    { modes, ...open }: OpenSearcherOptions & { modes: readonly N[] },
  ): Promise<{ found: Record<N, Run>; version: string }> => {
    const { opening } = await beginSearcher(path, { ...options, ...open, modes });
    const searcher = await opening;
    try {
      const found: Partial<Record<N, Run>> = {};
      for (const mode of modes) found[mode] = await searchQueries(searcher, mode, { queries, depth: DEPTH });
      return { found: found as Record<N, Run>, version: searcher.indexVersion };
    } finally {
      await searcher.close();
    }
  };
  const dense = async (path: string, open: OpenSearcherOptions): Promise<Run> =>
    (await search(path, { ...open, modes: ['dense'] })).found.dense;
  const ofStep = (step: number, model: string): Promise<Run> => dense(run.stepPath('index', step), { model });

  const modes = ['dense' as const, ...words];
  const { found: served, version } = await search<'dense' | M>(run.path, { data: description.data, modes });
  const serves = best === 0 ? 'start' : 'trained';
  const start = await startRun();
  const trained = serves === 'trained' ? served.dense : await learned();
  return { start, served, serves, version, ...(trained && { trained }) };

  async function startRun(): Promise<Run> {
    const { published, recipe, data } = description;
    if (published !== undefined) return dense(data, { model: published });
    if (serves === 'start') return served.dense;
    const own = run.file('start');
    if (await run.has('index', 0)) return ofStep(0, own);
    // The vectors of a model that others know, too, are kept for all runs on the collection.
    const cache = recipe.model.init === 'scratch' ? run.file('cache', 'search') : undefined;
    return dense(data, { model: own, ...(cache !== undefined && { cache }) });
  }

  async function learned(): Promise<Run | undefined> {
    const lead = await leadingCheckpoint(run, description.recipe.evaluation.best);
    if (!lead || !(await run.has('index', lead.step)) || !(await run.has('checkpoints', lead.step))) return;
    return ofStep(lead.step, run.stepPath('checkpoints', lead.step));
  }
}
