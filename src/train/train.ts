import { availableParallelism } from 'node:os';
import { NearmissError } from '../base/errors.js';
import type { Dataset, TextPair } from '../data/index.js';
import type { FleetPlace } from '../fleet/index.js';
import type { LossKind } from '../loss/index.js';
import { makesRows } from '../model/kinds.js';
import type { NegativesKind } from '../negatives/index.js';
import { axes } from '../recipe/axes.js';
import { formatConfig } from '../recipe/format-config.js';
import { loadRecipe } from '../recipe/load.js';
import type { RecipeChoices, RecipeObject } from '../recipe/recipe-object.js';
import { openRunSplit } from '../run/collection/open-run-data.js';
import { usualSplit } from '../run/collection/usual-split.js';
import type { Role, TimedEvent } from '../run/events.js';
import { slimRun } from '../run/room/slim.js';
import { readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { bestSoFar, type StepEvaluation } from '../run/step-evaluation.js';
import type { MeasureRunOptions } from '../systems/index.js';
import type { TeacherKind } from '../teacher/index.js';
import { type Conclusion, concludeRun } from './conclude.js';
import { keepData } from './keep-data.js';
import { beginRun } from './process/begin-run.js';
import { takeBothRoles } from './process/both-roles.js';
import { type SuperviseOptions, supervise } from './process/supervisor.js';

/** Kinds of your own, known while a training lasts. */
export interface OwnKinds {
  losses?: readonly LossKind[];
  negatives?: readonly NegativesKind[];
  teachers?: readonly TeacherKind[];
}

export interface TrainOptions extends RecipeChoices {
  /**
   * The collection: a path, in any format that `openDataset` reads; a dataset; or pairs in memory. What is in memory is
   * written to a folder beside the run (`OUT-data`), so that the run can be searched, measured and resumed later.
   */
  data: string | Dataset | readonly TextPair[];
  /**
   * A built-in recipe, the path of a YAML file, or an object that says what such a file would. Default `default`, which is
   * made for people's own collections.
   */
  recipe?: string | RecipeObject;
  /** The run's folder. One that was interrupted goes on. */
  out: string;
  /** Changes to the recipe, e.g. `stages.ance.steps=50`. */
  set?: string[];
  /** Files of modules that register kinds of their own; each process of the training runs them. */
  modules?: readonly string[];
  /**
   * Kinds of your own that are objects of this program. Functions cannot be handed to another process, so Trainer and
   * Inferencer then both work in this one; whoever goes on with the run later has to give them again.
   */
  kinds?: OwnKinds;
  /** Trains in this process. Default: only with `kinds`. */
  inProcess?: boolean;
  /** Split that is learned from. Default `train`; where there is none, what people judged while it was served (`judged`). */
  split?: string;
  /** Split on which what came of it is measured, too. */
  testSplit?: string;
  /** Default: all cores each; a process that waits leaves them to the other. */
  threads?: Partial<Record<Role, number>>;
  onEvent?: (role: Role, event: TimedEvent) => void;
  /** Has the collection encoded by the workers of a queue (`nearmiss fleet worker`). */
  fleet?: FleetPlace;
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
 * @example
 * await train({
 *   data: [
 *     { query: 'how tall is a giraffe', document: 'an adult stands five metres high' },
 *     { query: 'when do owls sleep', document: 'most of them rest by day and hunt at night' },
 *   ],
 *   recipe: { extends: 'rand-neg', optimizer: { learningRate: 2e-5 } },
 *   loss: { name: 'infonce', temperature: 0.05 },
 *   negatives: ['in-batch'],
 *   out: 'runs/animals',
 * });
 */
export async function train(options: TrainOptions): Promise<TrainOutcome> {
  const { kinds } = options;
  if (!kinds) return trainKnown(options, options.inProcess ?? false);
  const registered = [
    register(axes.losses, kinds.losses),
    register(axes.negatives, kinds.negatives),
    register(axes.teachers, kinds.teachers),
  ];
  try {
    return await trainKnown(options, true);
  } finally {
    for (const forget of registered) forget();
  }
}

async function trainKnown(options: TrainOptions, inProcess: boolean): Promise<TrainOutcome> {
  const { out, set = [], modules = [], threads = {}, signal, testSplit } = options;
  const { loss, negatives, teacher } = options;
  const { recipe, origins } = await loadRecipe(options.recipe ?? DEFAULT_RECIPE, {
    set,
    use: modules,
    choose: { loss, negatives, teacher },
  });
  const data = await keepData(options.data, out);
  const split = options.split ?? (await usualSplit(data));
  await beginRun(out, { data, split, recipe, recipeText: formatConfig(recipe, origins) }, { quiet: true });
  return trainToEnd(out, {
    threads,
    testSplit,
    inProcess,
    onEvent: options.onEvent ?? (() => undefined),
    onRestart: () => undefined,
    fleet: options.fleet,
    stopSignal: signal ?? new AbortController().signal,
  });
}

/** Gives what takes them back. */
function register<K>(
  registry: { register(kind: K): K; remove(kind: K): void },
  kinds: readonly K[] = [],
): () => void {
  for (const kind of kinds) registry.register(kind);
  return () => {
    for (const kind of kinds) registry.remove(kind);
  };
}

export interface TrainToEndOptions extends Omit<SuperviseOptions, 'path' | 'threads'> {
  /** Default: all cores each; a process that waits leaves them to the other. */
  threads?: Partial<Record<Role, number>>;
  testSplit?: string;
  /** Both roles work in this process. */
  inProcess?: boolean;
  /** How the systems are measured at the end. */
  measuring?: Omit<MeasureRunOptions, 'threads'>;
}

/** Takes a run that was begun to its end, and measures what came of it. */
export async function trainToEnd(path: string, options: TrainToEndOptions): Promise<TrainOutcome> {
  const { threads = {}, testSplit, measuring, inProcess = false, ...watching } = options;
  if (testSplit !== undefined) await requireTestSplit(path, testSplit);
  const cores = availableParallelism();
  const work = inProcess ? takeBothRoles : supervise;
  await work({
    ...watching,
    path,
    threads: { trainer: threads.trainer ?? cores, inferencer: threads.inferencer ?? cores },
  });
  const run = new RunDirectory(path);
  const finished = await run.isFinished();
  await slimRun(run);
  const checkpoint = await bestSoFar(run);
  const outcome = { run: path, finished, ...(checkpoint && { checkpoint }) };
  const { recipe } = await readRunDescription(run);
  // The last checkpoint may not be measured yet when a stop was asked for; a reranker finds nothing by itself.
  if (options.stopSignal.aborted || !finished || !checkpoint || !makesRows(recipe.model.kind)) return outcome;
  return { ...outcome, ...(await concludeRun(path, { ...measuring, testSplit, threads: cores })) };
}

/** A split that is not there is told before the hours that come before it is measured on. */
async function requireTestSplit(path: string, split: string): Promise<void> {
  const run = new RunDirectory(path);
  const dataset = await openRunSplit(run, await readRunDescription(run), split);
  const splits = await dataset.splits();
  if (splits.includes(split)) return;
  throw new NearmissError(`${dataset.name}: no split "${split}" to measure on, only ${splits.join(', ')}`, {
    hint: `name one of these with --test-split, or leave it out; ${path} is begun, and the same command goes on with it`,
  });
}
