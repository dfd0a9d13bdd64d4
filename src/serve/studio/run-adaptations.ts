import { LRUCache } from 'lru-cache';
import type { QUESTIONS_SPLIT } from '../../adapt/adapted-dataset.js';
import type { RunSummary } from '../../analyze/watch/index.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { Adaptation } from '../answers/runs.js';

/** Verdicts kept: a page asks for the same one every few seconds, and all held-out queries are read for it. */
const MOST_KEPT = 64;
/** By its type alone: what adapts is not loaded into a server. */
const QUESTIONS: typeof QUESTIONS_SPLIT = 'questions';

/**
 * What came of adaptations, read from their runs: whoever began them, on the command line or in a page, and whichever
 * server was there when they ended.
 */
export class RunAdaptations {
  readonly #known = new LRUCache<string, Promise<Adaptation | undefined>>({ max: MOST_KEPT });

  /** `undefined` for a run that does not adapt or has not ended. */
  async of(run: RunDirectory, summary: RunSummary): Promise<Adaptation | undefined> {
    if (summary.recipe !== 'adapt' || summary.state !== 'finished') return undefined;
    const key = JSON.stringify([run.path, summary.updatedAt]);
    // Where the made queries are gone there is no verdict any more; the curves are still worth looking at.
    const verdict = this.#known.get(key) ?? judge(run).catch(() => undefined);
    this.#known.set(key, verdict);
    return verdict;
  }
}

async function judge(run: RunDirectory): Promise<Adaptation | undefined> {
  const { judgeAdaptation } = await import('../../adapt/verdict.js');
  const judged = await judgeAdaptation(run);
  if (judged === undefined) return undefined;
  const { split, adapted: _, ...told } = judged;
  return { ...told, isMade: split !== QUESTIONS };
}
