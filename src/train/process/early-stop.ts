import { exists } from '../../base/files.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
import type { Recipe } from '../../recipe/recipe.js';
import { leadingCheckpoint, readEvaluation } from '../../run/choose-best.js';
import type { EventWriter } from '../../run/events.js';
import { checkpointStepBefore, isCheckpointStep, planRun } from '../../run/plan.js';
import { type RunDirectory, waitFor } from '../../run/run-directory.js';
import type { StepEvaluation } from '../../run/step-evaluation.js';

const STOP_FILE = 'stop.json';

/** `stop.json`, by which the Inferencer asks the Trainer to end. */
interface StopRequest {
  reason: 'patience';
  /** The checkpoint whose evaluation was one too many without a new best. */
  step: number;
  best: number;
}

/**
 * The Inferencer's side: asks for an end when the evaluations up to the newest brought nothing better. Called before that
 * evaluation is published, so that whoever sees it knows what came of it. The first request stands.
 */
export async function askToStop(
  run: RunDirectory,
  { evaluation }: Recipe,
  newest: StepEvaluation,
): Promise<void> {
  if (evaluation.patience === 0 || (await exists(run.file(STOP_FILE)))) return;
  const { step } = newest;
  const best = await highestStep(run, evaluation.best, newest);
  const measured = new Set([...(await run.steps('evaluations')), step]);
  const since = [...measured].filter((other) => other > best).length;
  if (since < evaluation.patience) return;
  const request: StopRequest = { reason: 'patience', step, best };
  await writeSealedJsonFile(run.file(STOP_FILE), request);
}

/** The step that measures best, whether that may be chance or not; of equal ones the first. */
async function highestStep(run: RunDirectory, measure: string, newest: StepEvaluation): Promise<number> {
  const start = await readEvaluation(run, 0);
  const lead = await leadingCheckpoint(run, measure, newest);
  return lead && lead.measures[measure] > (start?.measures[measure] ?? Number.NEGATIVE_INFINITY)
    ? lead.step
    : 0;
}

export interface EndsEarlyOptions {
  run: RunDirectory;
  recipe: Recipe;
  events: EventWriter;
  stopSignal?: AbortSignal;
}

/**
 * The Trainer's side: whether the run ends before a step. In `async` mode it does as soon as that was asked for. In
 * `lockstep` the moment must not matter, so it ends at the checkpoint after the one whose evaluation asked: at each
 * checkpoint the Trainer waits until the one before has been measured.
 */
export async function endsEarly(step: number, options: EndsEarlyOptions): Promise<boolean> {
  const { run, recipe, events, stopSignal } = options;
  const { evaluation, refresh, checkpoint } = recipe;
  if (evaluation.patience === 0 || evaluation.when === 'end') return false;
  if (refresh.mode === 'async') return exists(run.file(STOP_FILE));
  const plan = planRun(recipe);
  if (step === 0 || !isCheckpointStep(plan, step, checkpoint.every)) return false;
  const before = checkpointStepBefore(plan, step - 1, checkpoint.every);
  if (!(await run.has('evaluations', before))) {
    await events.write({ type: 'wait', step, for: `evaluation of checkpoint ${before}` });
    await waitFor(async () => (await run.has('evaluations', before)) || undefined, {
      stop: async () => stopSignal?.aborted === true,
    });
  }
  const request = await run.readJson<StopRequest>(STOP_FILE);
  return request !== undefined && request.step <= before;
}
