import { basename } from 'node:path';
import { lockHolder } from '../../base/lock/file-lock.js';
import type { LockHolder } from '../../base/lock/lock-holder.js';
import type { Recipe } from '../../recipe/recipe.js';
import { ROLES, type Role } from '../../run/events.js';
import { planRun } from '../../run/plan.js';
import { readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { bestSoFar } from '../../run/step-evaluation.js';
import { applyEvent, INITIAL_STATE } from '../../run/training-state.js';
import { lastEvents } from './event-tail.js';

/** A process has a role in it; it went to its end; or neither: it can be gone on with. */
export type RunState = 'running' | 'finished' | 'stopped';

/** The processes that have a role in a run now. */
export type RoleHolders = Partial<Record<Role, LockHolder>>;

export interface BestMeasure {
  measure: string;
  value: number;
  step: number;
}

/** A run in a line. */
export interface RunSummary {
  state: RunState;
  /** Steps taken. */
  step: number;
  /** Steps of the whole recipe. */
  steps: number;
  recipe: string;
  /** The collection's name. */
  data: string;
  best?: BestMeasure;
  /** When something last happened in it, as ISO text. */
  updatedAt?: string;
}

/** Says what a run is and how far it got, from a few small reads however long it is. */
export async function summarizeRun(path: string): Promise<RunSummary> {
  const run = new RunDirectory(path);
  const { recipe, data } = await readRunDescription(run);
  const { state } = await stateOf(run);
  const [trained, inferred] = await Promise.all(
    ROLES.map((role) => lastEvents(run.file('events', `${role}.jsonl`))),
  );
  // The same count as of whoever has read all events: a stage that makes data may be a step, too.
  const { step } = trained.reduce((seen, event) => applyEvent(seen, event, 0), INITIAL_STATE);
  const times = [trained, inferred].flatMap((events) => events.at(-1)?.time ?? []);
  return {
    state,
    step: step || ((await run.steps('checkpoints')).at(-1) ?? 0),
    steps: planRun(recipe).totalSteps,
    recipe: recipe.name,
    data: basename(data),
    best: await bestMeasure(run, recipe),
    updatedAt: times.sort().at(-1),
  };
}

export async function stateOf(run: RunDirectory): Promise<{ state: RunState; holders: RoleHolders }> {
  const holders: RoleHolders = {
    trainer: await lockHolder(run.file('trainer.lock')),
    inferencer: await lockHolder(run.file('inferencer.lock')),
  };
  if (holders.trainer !== undefined || holders.inferencer !== undefined) return { state: 'running', holders };
  return { state: (await run.isFinished()) ? 'finished' : 'stopped', holders };
}

/** The measure that the recipe chooses the best model by, where that is. */
export async function bestMeasure(run: RunDirectory, recipe: Recipe): Promise<BestMeasure | undefined> {
  const best = await bestSoFar(run);
  const measure = recipe.evaluation.best;
  const value = best?.measures[measure];
  return best && value !== undefined ? { measure, value, step: best.step } : undefined;
}
