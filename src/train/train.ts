import { availableParallelism } from 'node:os';
import { formatConfig } from '../recipe/format-config.js';
import { loadRecipe } from '../recipe/load.js';
import type { Role, TimedEvent } from '../run/events.js';
import { readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { bestSoFar, type StepEvaluation } from '../run/step-evaluation.js';
import type { MeasureRunOptions } from '../systems/index.js';
import { type Conclusion, concludeRun } from './conclude.js';
import { trainedKinds } from './model/kinds.js';
import { beginRun } from './process/begin-run.js';
import { type SuperviseOptions, supervise } from './process/supervisor.js';

export interface TrainOptions {
  /** The collection, in any format that `openDataset` reads. */
  data: string;
  /** A built-in recipe or the path of a YAML file. Default `default`, which is made for people's own collections. */
  recipe?: string;
  /** The run's folder. One that was interrupted goes on. */
  out: string;
  /** Changes to the recipe, e.g. `stages.ance.steps=50`. */
  set?: string[];
  /** Split that is learned from. Default `train`. */
  split?: string;
  /** Split on which what came of it is measured, too. */
  testSplit?: string;
  /** Default: half of the cores each. */
  threads?: Partial<Record<Role, number>>;
  onEvent?: (role: Role, event: TimedEvent) => void;
  /** Ends the run after its present step; it goes on when it is trained again. */
  signal?: AbortSignal;
}

/** What came of a training. Start, BM25, hybrid and trained model are compared once it is finished. */
export interface TrainOutcome extends Partial<Conclusion> {
  /** The run's folder; its `best` is a model folder. */
  run: string;
  finished: boolean;
  /** The model in `best`, by its step (0: what training started from), and its dev measures. */
  checkpoint?: StepEvaluation;
}

/** The recipe of those who name none. */
export const DEFAULT_RECIPE = 'default';

/**
 * Trains in two processes, Trainer and Inferencer, until the run is finished or stopped, and compares what came of it
 * with what it started from.
 *
 * @example
 * const { best, rows } = await train({ data: 'data/mine', out: 'runs/mine' });
 * console.log(best, rows?.map(({ system, measures }) => [system, measures['nDCG@10']]));
 */
export async function train(options: TrainOptions): Promise<TrainOutcome> {
  const { data, split = 'train', out, set = [], threads = {}, signal, testSplit } = options;
  const { recipe, origins } = await loadRecipe(options.recipe ?? DEFAULT_RECIPE, { set });
  await beginRun(out, { data, split, recipe, recipeText: formatConfig(recipe, origins) }, { quiet: true });
  return trainToEnd(out, {
    threads,
    testSplit,
    onEvent: options.onEvent ?? (() => undefined),
    onRestart: () => undefined,
    stopSignal: signal ?? new AbortController().signal,
  });
}

export interface TrainToEndOptions extends Omit<SuperviseOptions, 'path' | 'threads'> {
  /** Default: half of the cores each. */
  threads?: Partial<Record<Role, number>>;
  testSplit?: string;
  /** How the systems are measured at the end. */
  measuring?: Omit<MeasureRunOptions, 'threads'>;
}

/** Takes a run that was begun to its end, and measures what came of it. */
export async function trainToEnd(path: string, options: TrainToEndOptions): Promise<TrainOutcome> {
  const { threads = {}, testSplit, measuring, ...watching } = options;
  const cores = availableParallelism();
  const half = Math.max(1, Math.floor(cores / 2));
  await supervise({
    ...watching,
    path,
    threads: { trainer: threads.trainer ?? half, inferencer: threads.inferencer ?? half },
  });
  const run = new RunDirectory(path);
  const finished = await run.isFinished();
  const checkpoint = await bestSoFar(run);
  const outcome = { run: path, finished, ...(checkpoint && { checkpoint }) };
  const { recipe } = await readRunDescription(run);
  // A reranker finds nothing by itself.
  if (!finished || !checkpoint || !trainedKinds.get(recipe.model.kind).indexes) return outcome;
  return { ...outcome, ...(await concludeRun(path, { ...measuring, testSplit, threads: cores })) };
}
