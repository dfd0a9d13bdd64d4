import { secondsSince } from '../base/numbers/seconds-since.js';
import type { SessionOptions } from '../engine/index.js';
import { makers } from '../recipe/axes.js';
import type { StageData } from '../run/collection/stage-data.js';
import type { EventWriter } from '../run/events.js';
import { type PlannedStage, planRun } from '../run/plan.js';
import { resumePoint } from '../run/resume-point.js';
import type { RunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { readCheckpointState, restoreOptimizer, restoreTask } from './checkpoint.js';
import { EvidenceTaker } from './evidence-taker.js';
import { learnsExcept } from './frozen.js';
import { Learner } from './learner.js';
import { makeData } from './make/make.js';
import type { TrainedModel } from './model/trained-model.js';
import { learningRateOf, optimizerOf } from './stage-optimizer.js';
import { StageSaver } from './stage-saver.js';
import { openTask } from './task/kinds.js';
import type { StageContext } from './task/task.js';

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

/**
 * The Trainer: takes one stage after the other, learns from what its task gives, writes checkpoints, and goes on from
 * the newest one when it is started again. What is learned, and from which negatives, is the task's business.
 */
export async function runTrainer(options: TrainerOptions): Promise<void> {
  const { run, description, stages, model, events, session, shouldStop, saveEveryMs } = options;
  const { recipe, recipeFingerprint } = description;
  const plan = planRun(recipe);
  const resumed = await resumePoint(run);
  const state = resumed && (await readCheckpointState(resumed.folder, recipeFingerprint));
  let step = resumed?.step ?? 0;
  await events.write({ type: 'start', process: 'trainer', step, threads: session.threads });

  for (const stage of plan.stages) {
    const isDone = stage.make ? step > stage.start : step >= stage.end;
    if (isDone) continue;
    const learns = learnsExcept(stage.freeze);
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
    const saver = new StageSaver(context, saveEveryMs);

    if (stage.make) {
      if (!(await makeData(stage.make, context))) return;
      if (stage.end === step) continue;
      step = stage.end;
      await saver.checkpoint(step, {});
      continue;
    }

    const optimizer = optimizerOf(stage.optimizer, model.parameters, learns);
    // A stage may look at the checkpoint it starts from.
    await saver.checkpoint(step, { optimizer });
    const task = await openTask(context);
    const learning = { optimizer, task };
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
        await saver.checkpoint(step, learning);
        if (await shouldStop(step)) return await saver.resumePoint(step, learning);
        await saver.resumePointIfDue(step, learning);
        const started = performance.now();
        const batches = await task.batches(step);
        if (!batches) return await saver.resumePoint(step, learning);
        const batchSeconds = secondsSince(started);
        const sources = await evidence.at(step, batches);
        const updating = performance.now();
        const update = await learner.update(step, batches);
        await task.after?.(step);
        await events.write({
          type: 'step',
          ...update,
          totalSteps: plan.totalSteps,
          stage: stage.name,
          seconds: batchSeconds + secondsSince(updating),
          batchSeconds,
          negativesVersion: task.negativesVersion,
          ...(task.figures && { figures: task.figures }),
          sources,
        });
        step++;
      }
      await saver.checkpoint(step, learning);
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
