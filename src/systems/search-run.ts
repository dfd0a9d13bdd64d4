import type { Run } from '../evaluate/index.js';
import { leadingCheckpoint } from '../run/choose-best.js';
import type { RunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { beginSearcher } from '../search/open/open-searcher.js';
import { searchQueries } from '../search/search-queries.js';
import type { OpenSearcherOptions } from '../search/searcher.js';
import type { SplitQueries } from './split-queries.js';

/** How deep systems are searched, and so what is fused. */
export const DEPTH = 200;

export type SearchSystemsOptions = Pick<OpenSearcherOptions, 'threads' | 'session' | 'onProgress' | 'onNote'>;

/** What a run's systems find, each by itself. */
export interface RunSearches {
  start: Run;
  bm25: Run;
  /** Of the model in `best/`, which is served: the start or the trained one. */
  served: Run;
  /** Which of them that is. */
  serves: 'start' | 'trained';
  /** Absent where no checkpoint has learned anything yet, or its vectors are gone. */
  trained?: Run;
  /** Of model, index and collection: what weights of a fusion are tuned for. */
  version: string;
}

/**
 * Searches queries with everything that a run has, as it is searched when it is served: the same index, and the model's
 * own length.
 */
export async function searchRun(
  run: RunDirectory,
  description: Pick<RunDescription, 'data' | 'recipe' | 'published'>,
  { queries }: SplitQueries,
  options: SearchSystemsOptions,
): Promise<RunSearches> {
  const best = (await bestSoFar(run))!.step;
  const search = async (
    path: string,
    open: OpenSearcherOptions,
  ): Promise<{ runs: Run[]; version: string }> => {
    const { opening } = await beginSearcher(path, { ...options, ...open });
    const searcher = await opening;
    try {
      const runs: Run[] = [];
      for (const mode of open.modes!)
        runs.push(await searchQueries(searcher, mode, { queries, depth: DEPTH }));
      return { runs, version: searcher.indexVersion };
    } finally {
      await searcher.close();
    }
  };
  const dense = async (path: string, open: OpenSearcherOptions): Promise<Run> =>
    (await search(path, { ...open, modes: ['dense'] })).runs[0];
  const ofStep = (step: number, model: string): Promise<Run> => dense(run.stepPath('index', step), { model });

  const {
    runs: [served, bm25],
    version,
  } = await search(run.path, { data: description.data, modes: ['dense', 'bm25'] });
  const serves = best === 0 ? 'start' : 'trained';
  const start = await startRun();
  const trained = serves === 'trained' ? served : await learned();
  return { start, bm25, served, serves, version, ...(trained && { trained }) };

  async function startRun(): Promise<Run> {
    const { published, recipe, data } = description;
    if (published !== undefined) return dense(data, { model: published });
    if (serves === 'start') return served;
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
