import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { LockHolder } from '../../base/lock/lock-holder.js';
import { isHere } from '../../base/lock/process-identity.js';
import { leaves, pathText } from '../../recipe/paths.js';
import { readOrigins } from '../../recipe/read-origins.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { Role } from '../../run/events.js';
import { type PlannedStage, planRun, sourcesOf } from '../../run/plan.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { Analysis } from '../analyze.js';
import type { RunHistory } from '../history.js';
import type { ProcessTrail } from './process-trail.js';
import { bestMeasure, type RunSummary, stateOf } from './run-state.js';
import type { WatchedRun } from './watched-run.js';

/** A value of the recipe and where it comes from: `default`, `recipes/base.yaml:12` or `--set`. */
export interface Setting {
  path: string;
  value: unknown;
  origin?: string;
}

export interface StageDetails extends Pick<PlannedStage, 'name' | 'start' | 'end'> {
  negatives: string[];
  loss: string;
  learningRate: number;
}

/** A checkpoint that is still on disk, and what has been made with it. */
export interface CheckpointDetails {
  step: number;
  indexed: boolean;
  mined: boolean;
  measured: boolean;
  best: boolean;
}

export interface ProcessDetails extends ProcessTrail {
  state: 'running' | 'finished' | 'stopped' | 'absent';
  /** The process's number while it runs. */
  pid?: number;
  /** The machine that it runs on, where that is not the server's. */
  host?: string;
}

/** Mean norm of a negative's gradient, by where it was drawn from, as `nearmiss analyze` measured it. */
export interface MeasuredSource {
  source: string;
  mean: number;
  /** Its mean over that of in-batch negatives. */
  toInBatch?: number;
}

/** Everything about a run but its curves. */
export interface RunDetails extends RunSummary {
  description: string;
  split: string;
  seed: number;
  fingerprint: string;
  createdBy: string;
  settings: Setting[];
  stages: StageDetails[];
  checkpoints: CheckpointDetails[];
  evaluations: (RunHistory['evaluations'][number] & { best: boolean })[];
  refreshes: Omit<RunHistory['refreshes'][number], 'type'>[];
  processes: Record<Role, ProcessDetails>;
  /** What stages made, how teachers did beside their students, what rules left of candidates that do not change. */
  made: RunHistory['made'];
  teachers: RunHistory['teachers'];
  mined: RunHistory['mined'];
  /** Steps that the negatives now in use are old. */
  indexAge?: number;
  /** Until the last step at the pace so far, while the Trainer runs. */
  secondsLeft?: number;
  /** From the report that `nearmiss analyze` has written into the run, with the step it looked at. */
  measuredSources?: { step?: number; sources: MeasuredSource[] };
}

export async function describeRun(watched: WatchedRun): Promise<RunDetails> {
  const { run } = watched;
  const { description, history, training, trails } = await watched.look();
  const { recipe } = description;
  const { state, holders } = await stateOf(run);
  const plan = planRun(recipe);
  const best = await bestMeasure(run, recipe);
  const step = training.step || ((await run.steps('checkpoints')).at(-1) ?? 0);
  return {
    state,
    step,
    steps: plan.totalSteps,
    recipe: recipe.name,
    data: basename(description.data),
    best,
    updatedAt: [trails.trainer.lastEventAt, trails.inferencer.lastEventAt]
      .filter((time) => time !== undefined)
      .sort()
      .at(-1),
    description: recipe.description,
    split: description.split,
    seed: recipe.seed,
    fingerprint: description.recipeFingerprint,
    createdBy: description.createdBy,
    settings: await settingsOf(run, recipe),
    stages: plan.stages.map((stage) => ({
      name: stage.name,
      start: stage.start,
      end: stage.end,
      negatives: sourcesOf(stage),
      loss: stage.losses.map(({ name }) => name).join(' + '),
      learningRate: stage.optimizer.learningRate,
    })),
    checkpoints: await checkpointsOf(run, best?.step),
    evaluations: history.evaluations.map((evaluation) => ({
      ...evaluation,
      best: evaluation.step === best?.step,
    })),
    refreshes: history.refreshes.map(({ type: _, ...refresh }) => refresh),
    made: history.made,
    teachers: history.teachers,
    mined: history.mined,
    processes: {
      trainer: processOf(trails.trainer, holders.trainer),
      inferencer: processOf(trails.inferencer, holders.inferencer),
    },
    indexAge:
      training.negativesVersion === undefined ? undefined : training.step - 1 - training.negativesVersion,
    secondsLeft: holders.trainer === undefined ? undefined : training.secondsLeft,
    measuredSources: await measuredSources(run),
  };
}

async function settingsOf(run: RunDirectory, recipe: Recipe): Promise<Setting[]> {
  const yaml = await readFile(run.file('recipe.yaml'), 'utf8').catch(() => '');
  const origins = readOrigins(yaml, recipe);
  return leaves(recipe).map(({ keys, value }) => {
    const path = pathText(recipe, keys);
    return { path, value, origin: origins.get(path) };
  });
}

async function checkpointsOf(run: RunDirectory, best: number | undefined): Promise<CheckpointDetails[]> {
  const folders = ['index', 'negatives', 'evaluations'] as const;
  const [indexed, mined, measured] = await Promise.all(folders.map((folder) => run.steps(folder)));
  return (await run.steps('checkpoints')).map((step) => ({
    step,
    indexed: indexed.includes(step),
    mined: mined.includes(step),
    measured: measured.includes(step),
    best: step === best,
  }));
}

function processOf(trail: ProcessTrail, holder: LockHolder | undefined): ProcessDetails {
  if (holder) {
    const host = isHere(holder) ? undefined : holder.host;
    return { ...trail, state: 'running', pid: holder.pid, host };
  }
  const state = trail.ended ? 'finished' : trail.startedAt === undefined ? 'absent' : 'stopped';
  return { ...trail, state, activity: undefined, encoding: undefined };
}

async function measuredSources(run: RunDirectory): Promise<RunDetails['measuredSources']> {
  const analysis = await run.readJson<Analysis>('report', 'analysis.json');
  if (!analysis?.gradients) return undefined;
  // In JSON, NaN is null: a source that nothing was drawn from.
  const measured = analysis.gradients.sources.filter(({ mean }) => mean !== null);
  return {
    step: analysis.step,
    sources: measured.map(({ source, mean, toInBatch }) => ({
      source,
      mean,
      toInBatch: toInBatch ?? undefined,
    })),
  };
}
