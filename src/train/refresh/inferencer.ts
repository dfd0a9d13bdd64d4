import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, writeDirectoryAtomic } from '../../base/files.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { CREATED_BY } from '../../base/version.js';
import type { SessionOptions } from '../../engine/index.js';
import { evaluate, findAnswerRanks } from '../../evaluate/index.js';
import type { FleetPlace } from '../../fleet/index.js';
import type { ModelCard } from '../../model/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { lossesOf } from '../../recipe/stage-loss.js';
import { writeModelManifest } from '../../run/checked-folder.js';
import { readEvaluation, replacesBest } from '../../run/choose-best.js';
import { queriesWithoutLabels } from '../../run/collection/queries-without-labels.js';
import type { StageData } from '../../run/collection/stage-data.js';
import type { EventWriter } from '../../run/events.js';
import { freshSourceOf, type Plan, planRun, stageAt } from '../../run/plan.js';
import { type RunDirectory, TEACHER_FOLDER, waitFor } from '../../run/run-directory.js';
import { bestSoFar, type StepEvaluation } from '../../run/step-evaluation.js';
import { type EvaluationSet, evaluationSet, type TrainingData } from '../../run/training-data.js';
import { trainedKinds } from '../model/kinds.js';
import { askToStop } from '../process/early-stop.js';
import type { CheckpointSearch } from './checkpoint-search.js';
import { freshSourceAfter, isMeasured, openCheckpoints, prune } from './open-checkpoints.js';
import { publishNegatives } from './publish-negatives.js';
import { awaitReplacement, DamagedCheckpointError, verifyModel } from './sound-checkpoint.js';
import { agreementWith, readTeacherLists } from './teacher-lists.js';

export interface InferencerOptions {
  run: RunDirectory;
  recipe: Recipe;
  stages: StageData;
  events: EventWriter;
  session: SessionOptions;
  /** Ends the work where it is; finished shards stay, and the next process goes on from there. */
  signal?: AbortSignal;
  /** Ends when this checkpoint has been measured, at which the Trainer pauses. */
  until?: number;
  /** Has the collection encoded by the workers of a queue. */
  fleet?: FleetPlace;
}

/**
 * The Inferencer: takes the newest checkpoint, encodes the corpus with it, publishes fresh negatives and dev
 * measures, and keeps the best model, until the Trainer has finished and its last checkpoint is measured.
 */
export async function runInferencer(options: InferencerOptions): Promise<void> {
  const { run, recipe, events, session, signal } = options;
  const plan = planRun(recipe);
  await events.write({ type: 'start', process: 'inferencer', step: 0, threads: session.threads });

  const unlessStopped = (error: unknown): void => {
    if (!signal?.aborted || error !== signal.reason) throw error;
  };
  while (!signal?.aborted) {
    const step = await waitFor(() => nextCheckpoint(options, plan), {
      stop: async () => signal?.aborted || (await isDone(options, plan)),
    });
    if (step === undefined) break;
    await workOn(step, plan, options).catch(async (error) => {
      if (error instanceof DamagedCheckpointError)
        return awaitReplacement(run, { step, damage: error, signal });
      // The Trainer has found it damaged and moved it out of the way meanwhile.
      if (await run.has('checkpoints', step)) unlessStopped(error);
    });
  }
  if (!signal?.aborted) await remakeBestIndex(options).catch(unlessStopped);
  await events.write({
    type: 'end',
    process: 'inferencer',
    step: (await run.steps('evaluations')).at(-1) ?? 0,
  });
}

/** Searches of the run read the best model's index: it is made again where somebody has removed it. */
async function remakeBestIndex(options: InferencerOptions): Promise<void> {
  const { run, recipe } = options;
  const step = (await bestSoFar(run))?.step;
  if (!trainedKinds.get(recipe.model.kind).indexes || step === undefined || (await run.has('index', step)))
    return;
  const found = await openCheckpoint(step, await atStep(step, planRun(recipe), options));
  await found.close();
}

/**
 * In lockstep every checkpoint has its turn; else the newest one, and those it overtakes are left out. Never what the run
 * started from, which the others are compared with.
 */
async function nextCheckpoint({ run, recipe }: InferencerOptions, plan: Plan): Promise<number | undefined> {
  const open = await openCheckpoints(run, recipe, plan);
  const isInOrder = recipe.refresh.mode === 'lockstep' || (open[0] === 0 && isMeasured(recipe, plan, 0));
  return isInOrder ? open[0] : open.at(-1);
}

async function isDone(options: InferencerOptions, plan: Plan): Promise<boolean> {
  const { run, until } = options;
  const paused = until !== undefined && (await run.has('evaluations', until));
  return (paused || (await run.isFinished())) && (await nextCheckpoint(options, plan)) === undefined;
}

/** What work on a checkpoint takes, with the queries of the stage that goes on from it. */
type StepOptions = Omit<InferencerOptions, 'stages'> & { data: TrainingData };

async function atStep(
  step: number,
  plan: Plan,
  { stages, ...options }: InferencerOptions,
): Promise<StepOptions> {
  return { ...options, data: await stages.of(stageAt(plan, step).examples) };
}

async function openCheckpoint(step: number, options: StepOptions): Promise<CheckpointSearch> {
  await verifyModel(options.run, step);
  const onProgress = (done: number, total: number): Promise<void> =>
    options.events.write({ type: 'encode', step, done, total });
  return trainedKinds.get(options.recipe.model.kind).openCheckpoint(step, { ...options, onProgress });
}

/** Mines and measures with a checkpoint what has not been mined and measured yet. */
async function workOn(step: number, plan: Plan, given: InferencerOptions): Promise<void> {
  const options = await atStep(step, plan, given);
  const { run, recipe, events, data } = options;
  const found = await openCheckpoint(step, options);
  try {
    const fresh = freshSourceAfter(plan, step);
    if (fresh && !(await run.has('negatives', step))) {
      await events.write(await publishNegatives(found, fresh, options));
    }
    if (isMeasured(recipe, plan, step)) {
      const { split, queries: limit } = recipe.evaluation;
      await measure(found, await evaluationSet(data, { split, limit, seed: recipe.seed }), options);
    }
  } finally {
    await found.close();
  }
  await prune(run, recipe, plan);
}

async function measure(
  checkpoint: CheckpointSearch,
  dev: EvaluationSet,
  options: StepOptions,
): Promise<void> {
  const { run, recipe, data, events } = options;
  const { step } = checkpoint;
  const { measures, best, choose, split, depth } = recipe.evaluation;
  const started = performance.now();
  const rankings = await checkpoint.rankings(dev.queries, depth);
  const found = { tag: `step ${step}`, rankings };
  const needsAnswers = measures.some((measure) => measure.startsWith('Coverage'));
  const answerRanks = needsAnswers ? await findAnswerRanks(data.dataset, found, { depth, split }) : undefined;
  const { mean, perQuery, queries } = evaluate(found, dev.qrels, measures, { complete: true, answerRanks });
  const evaluation: StepEvaluation = {
    step,
    split,
    queries: dev.queries.length,
    measures: { ...mean },
    ...(choose === 'significant' && {
      values: Array.from(perQuery[best]),
      withoutLabels: queriesWithoutLabels(queries, dev.qrels, isLabelled(data)),
    }),
    seconds: checkpoint.seconds,
  };
  const isBest = replacesBest(recipe.evaluation, {
    candidate: evaluation,
    best: await bestSoFar(run),
    start: await readEvaluation(run, 0),
  });
  if (isBest) {
    await keepBest(options, evaluation);
    await writeSealedJsonFile(run.file('best.json'), evaluation);
  }
  await askToStop(run, recipe, evaluation);
  await writeSealedJsonFile(run.stepPath('evaluations', step), evaluation);
  const seconds = secondsSince(started);
  const teacher = await readTeacherLists(run, recipe);
  const agreement = teacher && agreementWith(teacher, rankings);
  await events.write({
    type: 'evaluation',
    step,
    measures: evaluation.measures,
    best: isBest,
    seconds,
    ...(agreement !== undefined && { agreement }),
  });
}

/** Whether a document is relevant to a training query. */
function isLabelled({ training, documents }: TrainingData): (documentId: string) => boolean {
  const labelled = new Set(training.flatMap(({ positives }) => [...positives]));
  return (documentId) => labelled.has(documents.cache.indexOf(documentId));
}

/** Writes `best/`: the model of a step as other programs load it, ONNX export and model card included. */
async function keepBest(
  { run, recipe, data }: StepOptions,
  { step, split, measures }: StepEvaluation,
): Promise<void> {
  const model = await trainedKinds.get(recipe.model.kind).load(run.stepPath('checkpoints', step));
  const dataset = data.dataset.name;
  const card: Partial<ModelCard> = {
    name: `${dataset}-${recipe.name}`,
    baseModel: recipe.model.init === 'scratch' ? undefined : recipe.model.init,
    datasets: [dataset],
    measures: Object.entries(measures).map(([measure, value]) => ({ dataset, split, measure, value })),
    recipe: {
      recipe: recipe.name,
      seed: recipe.seed,
      step,
      loss: lossNames(recipe),
      optimizer: recipe.optimizer.name,
    },
    versions: { nearmiss: CREATED_BY, node: process.versions.node },
    ance: planRun(recipe).stages.some((stage) => freshSourceOf(stage) !== undefined),
  };
  const fill = async (folder: string): Promise<void> => {
    await model.fill(folder, { card });
    const teacher = join(run.stepPath('checkpoints', step), TEACHER_FOLDER);
    if (await exists(teacher)) await cp(teacher, join(folder, TEACHER_FOLDER), { recursive: true });
    await writeModelManifest(folder);
  };
  await writeDirectoryAtomic(run.file('best'), fill, { replaces: 'anything' });
}

/** The losses of all stages, each once. */
function lossNames(recipe: Recipe): string {
  const names = recipe.stages.flatMap((stage) => lossesOf(recipe, stage).map(({ name }) => name));
  return [...new Set(names)].join(' + ');
}
