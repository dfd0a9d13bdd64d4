import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { removeDirectory } from '../base/files.js';
import { openDataset } from '../data/index.js';
import { formatConfig } from '../recipe/format-config.js';
import { loadRecipe } from '../recipe/load.js';
import { CostModel } from '../run/cost/cost-model.js';
import { isRun, readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { beginRun } from '../train/process/begin-run.js';
import { type TrainOutcome, type TrainToEndOptions, trainToEnd } from '../train/train.js';
import { QUESTIONS_SPLIT, TRAIN_SPLIT } from './adapted-dataset.js';
import { keepSource, requireSameSource } from './begun-on.js';
import { ENOUGH_QUESTIONS, type Prepared, prepareAdaptation, writtenFolder } from './prepare.js';
import { type Judged, judgeAdaptation } from './verdict.js';
import type { WrittenQueriesOptions } from './write-queries.js';

export interface AdaptOptions {
  /** A folder of texts, a BEIR folder, or any collection; judgments that it has are not looked at. */
  data: string;
  /** The run's folder. One that was interrupted goes on. */
  out: string;
  /** A file of questions with the documents that answer them; see `docs/adapting.md`. */
  questions?: string;
  /** What to start from. Default `minilm`. */
  model?: string;
  /** Lets a model write queries for documents, to learn from beside what documents offer themselves. */
  generate?: WrittenQueriesOptions;
  /** Changes to the recipe `adapt`, e.g. `stages.train.steps=100`. */
  set?: readonly string[];
  /** Told before training begins what will be done and about how long it takes; not where a run goes on. */
  onPrepared?: (prepared: Prepared, seconds: number) => void;
  onDocument?: () => void;
  /** Told what is left out of a folder: files that cannot be read, and those of other types. */
  onNote?: (note: string) => void;
}

/** An adaptation that has begun, or why it cannot. */
export interface BegunAdaptation {
  run: string;
  /** Absent where a run goes on that was begun before. */
  prepared?: Prepared;
  /** Whether there is a run to take to its end. */
  begun: boolean;
  /** Whether it has been taken there before. */
  hasEnded?: boolean;
}

export interface AdaptOutcome extends TrainOutcome {
  adaptation: {
    /** `too little`: there was nothing to learn from, and the start is what there is. */
    verdict: Judged['verdict'] | 'too little';
    /** Start and adapted model on held-out queries, kind by kind. */
    judged?: Judged;
    prepared?: Prepared;
  };
}

const ADAPT_RECIPE = 'adapt';

/**
 * Parts of texts that ask for their text gain from learning what real queries do not gain (msmarco-mini: crops .0265 better,
 * p = .001, real queries .0024 worse): where nothing else measures, only what is beyond doubt counts.
 */
const CHANCE_OF_STAND_INS = 0.0001;

/** Where the collection with the made queries goes. */
function adaptedData(out: string): string {
  return `${out.replace(/[/\\]+$/, '')}-data`;
}

/** Makes queries of the documents and begins a run, or finds the one that was begun. */
export async function beginAdaptation(options: AdaptOptions): Promise<BegunAdaptation> {
  const { data, out, model, questions, set = [] } = options;
  const folder = adaptedData(out);
  if (await isRun(out)) {
    const run = new RunDirectory(out);
    const { data: learned } = await readRunDescription(run);
    if (resolve(learned) !== resolve(folder)) {
      throw new NearmissError(`${out}: this run was not begun by adapt`, {
        hint: 'choose another folder with --out',
      });
    }
    await requireSameSource(run, { data, questions, learned });
    return { run: out, begun: true, hasEnded: await run.isFinished() };
  }
  const chosen = model === undefined ? [] : [`model.init=${model}`];
  const load = (more: readonly string[]) => loadRecipe(ADAPT_RECIPE, { set: [...chosen, ...more, ...set] });
  const { recipe } = await load([]);
  const { steps, batch } = recipe.stages.find((stage) => !stage.make)!;
  const { queries } = { ...recipe.batch, ...batch };
  const prepared = await prepareAdaptation(data, {
    folder,
    seed: recipe.seed,
    questions,
    ...(options.generate && { generate: options.generate }),
    train: steps * queries,
    onDocument: options.onDocument,
    onNote: options.onNote,
  });
  if (prepared.tooLittle !== undefined) return { run: out, prepared, begun: false };
  const real = prepared.questions >= ENOUGH_QUESTIONS ? [`evaluation.split=${QUESTIONS_SPLIT}`] : [];
  const weak = real.length === 0 && !prepared.mix.natural ? [`evaluation.chance=${CHANCE_OF_STAND_INS}`] : [];
  const settled = await load([...real, ...weak]);
  try {
    await beginRun(
      out,
      {
        data: folder,
        split: TRAIN_SPLIT,
        recipe: settled.recipe,
        recipeText: formatConfig(settled.recipe, settled.origins),
      },
      { quiet: true },
    );
  } catch (error) {
    await removeDirectory(folder);
    throw error;
  }
  await keepSource(new RunDirectory(out), data);
  await removeDirectory(writtenFolder(folder));
  const begun = (await readRunDescription(new RunDirectory(out))).recipe;
  const cost = await CostModel.open(begun, folder);
  options.onPrepared?.(prepared, cost.training(begun, { threads: availableParallelism() }).seconds);
  return { run: out, prepared, begun: true };
}

/** Takes an adaptation that was begun to its end, and says what came of it. */
export async function adaptToEnd(
  { run, prepared }: BegunAdaptation,
  options: TrainToEndOptions,
): Promise<AdaptOutcome> {
  const { recipe } = await readRunDescription(new RunDirectory(run));
  const testSplit = await questionsToTell(run, recipe.evaluation.split);
  const outcome = await trainToEnd(run, { ...options, ...(testSplit !== undefined && { testSplit }) });
  const judged = outcome.finished ? await judgeAdaptation(new RunDirectory(run)) : undefined;
  return {
    ...outcome,
    adaptation: {
      verdict: judged?.verdict ?? 'level',
      ...(judged && { judged }),
      ...(prepared && { prepared }),
    },
  };
}

/** Few questions do not decide, but what they say is told. */
async function questionsToTell(run: string, decides: string): Promise<string | undefined> {
  if (decides === QUESTIONS_SPLIT) return undefined;
  const { data } = await readRunDescription(new RunDirectory(run));
  const splits = await (await openDataset(data)).splits();
  return splits.includes(QUESTIONS_SPLIT) ? QUESTIONS_SPLIT : undefined;
}

/**
 * Adapts a model to a collection that nobody has labelled: makes queries of its documents, learns slowly from them, merges
 * what came of it with the start, and keeps the start unless queries of a kind that was not learned from are answered better
 * by more than chance.
 *
 * @example
 * const { adaptation, run } = await adapt({ data: 'docs', out: 'runs/docs' });
 * console.log(adaptation.verdict, run);
 */
export async function adapt(
  options: AdaptOptions &
    Partial<Pick<TrainToEndOptions, 'threads' | 'inProcess' | 'onEvent'>> & { signal?: AbortSignal },
): Promise<AdaptOutcome> {
  const begun = await beginAdaptation(options);
  if (!begun.begun) {
    return {
      run: options.out,
      finished: false,
      adaptation: { verdict: 'too little', prepared: begun.prepared },
    };
  }
  return adaptToEnd(begun, {
    ...(options.threads && { threads: options.threads }),
    inProcess: options.inProcess ?? false,
    onEvent: options.onEvent ?? (() => undefined),
    onRestart: () => undefined,
    stopSignal: options.signal ?? new AbortController().signal,
  });
}
