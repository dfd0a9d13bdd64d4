import type { Optimizer, SessionOptions } from '../engine/index.js';
import { makers } from '../recipe/axes.js';
import type { StageData } from '../run/collection/stage-data.js';
import type { EventWriter } from '../run/events.js';
import { isCheckpointStep, type PlannedStage, planRun } from '../run/plan.js';
import { forgetResumePoints, resumePoint } from '../run/resume-point.js';
import type { RunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { readCheckpointState, restoreOptimizer, restoreTask, saveCheckpoint } from './checkpoint.js';
import { learningRateOf, optimizerOf } from './components.js';
import { EvidenceTaker } from './evidence-taker.js';
import { learnsExcept } from './frozen.js';
import { Learner } from './learner.js';
import { makeData } from './make/make.js';
import type { TrainedModel } from './model/trained-model.js';
import { prune } from './refresh/open-checkpoints.js';
import { openTask } from './task/kinds.js';
import type { StageContext, Task } from './task/task.js';

export interface TrainerOptions {
  run: RunDirectory;
  description: RunDescription;
  stages: StageData;
  /** As the newest checkpoint has it, or as the recipe starts. */
  model: TrainedModel;
  events: EventWriter;
  session: SessionOptions;
  /** Asked before the step it is given; a run that stops goes on later from there. */
  shouldStop: (step: number) => Promise<boolean>;
  /** Where checkpoints are far apart, something to go on from is saved this often. Default ten minutes. */
  saveEveryMs?: number;
}

const SAVE_EVERY_MS = 600_000;

/**
 * The Trainer: takes one stage after the other, learns from what its task gives, writes checkpoints, and goes on from
 * the newest one when it is started again. What is learned, and from which negatives, is the task's business.
 */
export async function runTrainer(options: TrainerOptions): Promise<void> {
  const { run, description, stages, model, events, session, shouldStop } = options;
  const { saveEveryMs = SAVE_EVERY_MS } = options;
  const { recipe, recipeFingerprint } = description;
  const plan = planRun(recipe);
  const { every } = recipe.checkpoint;
  const resumed = await resumePoint(run);
  let step = resumed?.step ?? 0;
  const state = resumed && (await readCheckpointState(resumed.folder, recipeFingerprint));
  await events.write({ type: 'start', process: 'trainer', step, threads: session.threads });

  for (const stage of plan.stages) {
    const learns = learnsExcept(stage.freeze);
    const isDone = stage.make ? step > stage.start : step >= stage.end;
    if (isDone) continue;
    const context: StageContext = {
      run,
      description,
      recipe,
      plan,
      stage,
      data: readsQueries(stage) ? await stages.of(stage.examples) : stages.collection,
      stages,
      model,
      events,
      session,
      learns,
      shouldStop: () => shouldStop(step),
    };
    let optimizer: Optimizer | undefined;
    let task: Task | undefined;
    let savedAt = performance.now();
    const save = async (folder: 'checkpoints' | 'resume'): Promise<void> => {
      if ((await run.has('checkpoints', step)) || (await run.has(folder, step))) return;
      const path = run.stepPath(folder, step);
      const saved = { step, stage: stage.index, recipeFingerprint };
      await saveCheckpoint(
        path,
        {
          model,
          optimizer,
          task: task?.state ?? {},
          mlmHead: task?.mlmHead,
          fill: task?.fill && ((to) => task!.fill!(to)),
        },
        saved,
      );
      await forgetResumePoints(run, folder === 'resume' ? step : step + 1);
      savedAt = performance.now();
    };
    const checkpoint = async (): Promise<void> => {
      if (!isCheckpointStep(plan, step, every) || (await run.has('checkpoints', step))) return;
      const started = performance.now();
      await save('checkpoints');
      await events.write({ type: 'checkpoint', step, seconds: secondsSince(started) });
      await prune(run, recipe, plan);
    };

    if (stage.make) {
      if (!(await makeData(stage.make, context))) return;
      if (stage.end === step) continue;
      step = stage.end;
      await checkpoint();
      continue;
    }
    optimizer = optimizerOf(stage.optimizer, model.parameters, learns);
    // A stage may look at the checkpoint it starts from.
    await checkpoint();
    task = await openTask(context);
    try {
      if (resumed && state && step === resumed.step && step > stage.start) {
        await restoreOptimizer(resumed.folder, optimizer, state);
        await restoreTask(resumed.folder, task.state);
      }
      const learner = new Learner({
        step: task.step,
        parameters: model.parameters,
        optimizer,
        part: task.part,
        learns,
        learningRate: learningRateOf(stage),
        clip: stage.optimizer.clip,
        layers: model.config.layers,
        seed: recipe.seed,
      });
      const evidence = new EvidenceTaker({ learner, task, start: stage.start, every: recipe.evidence.every });

      while (step < stage.end) {
        await checkpoint();
        if (await shouldStop(step)) return await save('resume');
        if (performance.now() - savedAt > saveEveryMs) await save('resume');
        const started = performance.now();
        const batches = await task.batches(step);
        if (!batches) return await save('resume');
        const batchSeconds = secondsSince(started);
        const sources = await evidence.at(step, batches);
        const learning = performance.now();
        const update = await learner.update(step, batches);
        await task.after?.(step);
        await events.write({
          type: 'step',
          ...update,
          totalSteps: plan.totalSteps,
          stage: stage.name,
          seconds: batchSeconds + secondsSince(learning),
          batchSeconds,
          negativesVersion: task.negativesVersion,
          ...(task.figures && { figures: task.figures }),
          sources,
        });
        step++;
      }
      await checkpoint();
    } finally {
      await task.close();
    }
  }
  await run.finish({ steps: step, totalSteps: plan.totalSteps });
  await events.write({ type: 'end', process: 'trainer', step });
}

/** Whether a stage works with training queries: one that makes them has none yet. */
function readsQueries({ make }: PlannedStage): boolean {
  return make === undefined || (makers.get(make.name).usesQueries ?? false);
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
