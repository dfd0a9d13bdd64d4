import { rm } from 'node:fs/promises';
import { writeDirectoryAtomic, writeFileAtomic } from '../base/files.js';
import { CREATED_BY } from '../base/version.js';
import type { SessionOptions } from '../engine/index.js';
import { evaluate, findAnswerRanks } from '../evaluate/index.js';
import type { ModelCard } from '../model/index.js';
import type { CheckpointView } from './checkpoint-view.js';
import { kindOf } from './encoder-kinds.js';
import type { EventWriter } from './events.js';
import { annOf, type Plan, planRun, stageAt } from './plan.js';
import type { NegativesRecipe, Recipe } from './recipe/recipe.js';
import { type RunDirectory, waitFor } from './run-directory.js';
import { bestSoFar, type StepEvaluation } from './step-evaluation.js';
import { type EvaluationSet, evaluationSet, type TrainingData } from './training-data.js';

export interface InferencerOptions {
  run: RunDirectory;
  recipe: Recipe;
  data: TrainingData;
  events: EventWriter;
  session: SessionOptions;
  shouldStop: () => Promise<boolean>;
}

/**
 * The Inferencer: takes the newest checkpoint, encodes the corpus with it, publishes fresh negatives and dev
 * measures, and keeps the best model, until the Trainer has finished and its last checkpoint is measured.
 */
export async function runInferencer(options: InferencerOptions): Promise<void> {
  const { run, recipe, data, events, session, shouldStop } = options;
  const plan = planRun(recipe);
  const { split, queries: limit } = recipe.evaluation;
  const dev = await evaluationSet(data, { split, limit, seed: recipe.seed });
  await events.write({ type: 'start', process: 'inferencer', step: 0, threads: session.threads });

  for (;;) {
    const step = await waitFor(() => nextCheckpoint(run, recipe, plan), {
      stop: async () => (await shouldStop()) || (await isDone(run, recipe, plan)),
    });
    if (step === undefined || (await shouldStop())) break;
    const onProgress = (done: number, total: number): Promise<void> =>
      events.write({ type: 'encode', step, done, total });
    const view = await kindOf(recipe).openCheckpoint(step, { run, recipe, data, session, onProgress });
    const ann = annAfter(plan, step);
    if (ann && !(await run.has('negatives', step))) await events.write(await view.publishNegatives(ann));
    if (isMeasured(recipe, plan, step)) await measure(view, dev, options);
    await view.close();
    await prune(run, step, recipe.checkpoint.keep);
  }
  await events.write({
    type: 'end',
    process: 'inferencer',
    step: (await run.steps('evaluations')).at(-1) ?? 0,
  });
}

/** In lockstep every checkpoint has its turn; else the newest one, and those it overtakes are left out. */
async function nextCheckpoint(run: RunDirectory, recipe: Recipe, plan: Plan): Promise<number | undefined> {
  const [mined, measured] = [new Set(await run.steps('negatives')), new Set(await run.steps('evaluations'))];
  const newest = Math.max(-1, ...mined, ...measured);
  const open = (await run.steps('checkpoints')).filter((step) => {
    const needsNegatives = annAfter(plan, step) !== undefined && !mined.has(step);
    const needsMeasuring = isMeasured(recipe, plan, step) && !measured.has(step);
    return step >= newest && (needsNegatives || needsMeasuring);
  });
  return recipe.refresh.mode === 'lockstep' ? open[0] : open.at(-1);
}

async function isDone(run: RunDirectory, recipe: Recipe, plan: Plan): Promise<boolean> {
  return (await run.isFinished()) && (await nextCheckpoint(run, recipe, plan)) === undefined;
}

/** The ANN source of the stage that goes on from a checkpoint. */
function annAfter(plan: Plan, step: number): NegativesRecipe | undefined {
  return step < plan.totalSteps ? annOf(stageAt(plan, step)) : undefined;
}

function isMeasured({ evaluation }: Recipe, plan: Plan, step: number): boolean {
  return evaluation.when === 'checkpoints' || step === plan.totalSteps;
}

async function measure(view: CheckpointView, dev: EvaluationSet, options: InferencerOptions): Promise<void> {
  const { run, recipe, data, events } = options;
  const { step } = view;
  const { measures, best, split, depth } = recipe.evaluation;
  const started = performance.now();
  const rankings = await view.rankings(dev.queries, depth);
  const found = { tag: `step ${step}`, rankings };
  const needsAnswers = measures.some((measure) => measure.startsWith('Coverage'));
  const answerRanks = needsAnswers ? await findAnswerRanks(data.dataset, found, { depth, split }) : undefined;
  const { mean } = evaluate(found, dev.qrels, measures, { complete: true, answerRanks });
  const values = { ...mean };
  const isBest = values[best] > ((await bestSoFar(run))?.measures[best] ?? Number.NEGATIVE_INFINITY);
  const evaluation: StepEvaluation = {
    step,
    split,
    queries: dev.queries.length,
    measures: values,
    seconds: view.seconds,
  };
  if (isBest) {
    await keepBest(options, evaluation);
    await writeFileAtomic(run.file('best.json'), json(evaluation));
  }
  await writeFileAtomic(run.stepPath('evaluations', step), json(evaluation));
  const seconds = (performance.now() - started) / 1000;
  await events.write({ type: 'evaluation', step, measures: values, best: isBest, seconds });
  await stopEarly(run, recipe, step);
}

/** Writes `best/`: the model of a step as other programs load it, ONNX export and model card included. */
async function keepBest(
  { run, recipe, data }: InferencerOptions,
  { step, split, measures }: StepEvaluation,
): Promise<void> {
  const model = await kindOf(recipe).load(run.stepPath('checkpoints', step));
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
      loss: recipe.loss.name,
      optimizer: recipe.optimizer.name,
    },
    versions: { nearmiss: CREATED_BY, node: process.versions.node },
    ance: recipe.stages.some(({ negatives }) => negatives.some(({ source }) => source === 'ann')),
  };
  await writeDirectoryAtomic(run.file('best'), (folder) => model.fill(folder, { card }), {
    replaces: 'anything',
  });
}

/** Asks the Trainer to end when the last evaluations brought nothing better. */
async function stopEarly(run: RunDirectory, { evaluation }: Recipe, step: number): Promise<void> {
  if (evaluation.patience === 0) return;
  const best = (await bestSoFar(run))?.step ?? 0;
  const since = (await run.steps('evaluations')).filter((other) => other > best).length;
  if (since < evaluation.patience) return;
  await writeFileAtomic(run.file('stop.json'), json({ reason: 'patience', step, best }));
}

/** Removes what nobody will read again. Two at least stay: the Trainer may still be reading the one before. */
async function prune(run: RunDirectory, step: number, keep: number): Promise<void> {
  const best = (await bestSoFar(run))?.step;
  for (const folder of ['checkpoints', 'index', 'negatives'] as const) {
    const old = (await run.steps(folder)).filter((other) => other <= step).slice(0, -Math.max(2, keep));
    for (const other of old) {
      if (folder === 'index' && other === best) continue;
      await rm(run.stepPath(folder, other), { recursive: true, force: true });
    }
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
