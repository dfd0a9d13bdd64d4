import { availableParallelism } from 'node:os';
import { formatConfig } from '../recipe/format-config.js';
import { loadRecipe } from '../recipe/load.js';
import type { Role, TimedEvent } from '../run/events.js';
import { bestSoFar, type StepEvaluation } from '../run/step-evaluation.js';
import { beginRun } from './process/begin-run.js';
import { supervise } from './process/supervisor.js';

export interface TrainOptions {
  /** The collection, in any format that `openDataset` reads. */
  data: string;
  /** A built-in recipe or the path of a YAML file. */
  recipe: string;
  /** The run's folder. One that was interrupted goes on. */
  out: string;
  /** Changes to the recipe, e.g. `stages.ance.steps=50`. */
  set?: string[];
  /** Split that is learned from. Default `train`. */
  split?: string;
  /** Default: half of the cores each. */
  threads?: Partial<Record<Role, number>>;
  onEvent?: (role: Role, event: TimedEvent) => void;
  /** Ends the run after its present step; it goes on when it is trained again. */
  signal?: AbortSignal;
}

export interface TrainOutcome {
  /** The run's folder; its `best` is a model folder. */
  run: string;
  finished: boolean;
  /** The best checkpoint and its dev measures. */
  best?: StepEvaluation;
}

/**
 * Trains by a recipe in two processes, Trainer and Inferencer, until the run is finished or stopped.
 *
 * @example
 * const { best } = await train({ data: 'data/mine', recipe: 'ance-firstp', out: 'runs/mine' });
 * console.log(best?.measures);
 */
export async function train(options: TrainOptions): Promise<TrainOutcome> {
  const {
    data,
    split = 'train',
    out,
    set = [],
    threads = {},
    signal = new AbortController().signal,
  } = options;
  const { recipe, origins } = await loadRecipe(options.recipe, { set });
  const run = await beginRun(
    out,
    { data, split, recipe, recipeText: formatConfig(recipe, origins) },
    { quiet: true },
  );
  const half = Math.max(1, Math.floor(availableParallelism() / 2));
  await supervise({
    path: out,
    threads: { trainer: threads.trainer ?? half, inferencer: threads.inferencer ?? half },
    onEvent: options.onEvent ?? (() => undefined),
    onRestart: () => undefined,
    stopSignal: signal,
  });
  return { run: out, finished: await run.isFinished(), best: await bestSoFar(run) };
}
