import { secondsSince } from '../base/numbers/seconds-since.js';
import type { Optimizer } from '../engine/index.js';
import { isCheckpointStep } from '../run/plan.js';
import { forgetResumePoints } from '../run/resume-point.js';
import { saveCheckpoint } from './checkpoint.js';
import { prune } from './refresh/open-checkpoints.js';
import type { StageContext, Task } from './task/task.js';

/** Where checkpoints are far apart, something to go on from is saved this often. */
const SAVE_EVERY_MS = 600_000;

/** What a stage has opened to learn with; a stage that makes data has nothing. */
export interface Learning {
  optimizer?: Optimizer;
  task?: Task;
}

/** Saves what the Trainer goes on from while a stage lasts: checkpoints where the plan has them, and resume points between. */
export class StageSaver {
  readonly #context: StageContext;
  readonly #everyMs: number;
  #savedAt = performance.now();

  constructor(context: StageContext, everyMs = SAVE_EVERY_MS) {
    this.#context = context;
    this.#everyMs = everyMs;
  }

  /** Writes the checkpoint of a step that has one, unless it is there. */
  async checkpoint(step: number, learning: Learning): Promise<void> {
    const { run, recipe, plan, events } = this.#context;
    if (!isCheckpointStep(plan, step, recipe.checkpoint.every) || (await run.has('checkpoints', step)))
      return;
    const started = performance.now();
    await this.#save('checkpoints', step, learning);
    await events.write({ type: 'checkpoint', step, seconds: secondsSince(started) });
    await prune(run, recipe, plan);
  }

  /** Saves what a run that stops before this step goes on from, unless its checkpoint is there. */
  async resumePoint(step: number, learning: Learning): Promise<void> {
    const { run } = this.#context;
    if ((await run.has('checkpoints', step)) || (await run.has('resume', step))) return;
    await this.#save('resume', step, learning);
  }

  /** The same where the last saving is long ago. */
  async resumePointIfDue(step: number, learning: Learning): Promise<void> {
    if (performance.now() - this.#savedAt > this.#everyMs) await this.resumePoint(step, learning);
  }

  async #save(folder: 'checkpoints' | 'resume', step: number, { optimizer, task }: Learning): Promise<void> {
    const { run, model, stage, description } = this.#context;
    const { recipeFingerprint } = description;
    await saveCheckpoint(
      run.stepPath(folder, step),
      {
        model,
        optimizer,
        task: task?.state ?? {},
        mlmHead: task?.mlmHead,
        fill: task?.fill && ((to) => task.fill!(to)),
      },
      { step, stage: stage.index, recipeFingerprint },
    );
    await forgetResumePoints(run, folder === 'resume' ? step : step + 1);
    this.#savedAt = performance.now();
  }
}
