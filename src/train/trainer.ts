import type { SessionOptions } from '../engine/index.js';
import type { Recipe } from '../recipe/recipe.js';
import type { EventWriter } from '../run/events.js';
import { isCheckpointStep, planRun } from '../run/plan.js';
import { forgetResumePoints, resumePoint } from '../run/resume-point.js';
import type { RunDirectory } from '../run/run-directory.js';
import type { TrainingData } from '../run/training-data.js';
import { readCheckpointState, restoreOptimizer, saveCheckpoint } from './checkpoint.js';
import { learningRateOf, optimizerOf } from './components.js';
import { EvidenceTaker } from './evidence-taker.js';
import { Learner } from './learner.js';
import { StageNegatives } from './mining/stage-negatives.js';
import type { TrainedModel } from './model/trained-model.js';
import { prune } from './refresh/open-checkpoints.js';
import { BatchMaker } from './task/batch-maker.js';

export interface TrainerOptions {
  run: RunDirectory;
  recipe: Recipe;
  recipeFingerprint: string;
  data: TrainingData;
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
 * The Trainer: learns from negatives that the Inferencer keeps fresh, writes checkpoints, and goes on from the
 * newest one when it is started again.
 */
export async function runTrainer(options: TrainerOptions): Promise<void> {
  const { run, recipe, recipeFingerprint, data, model, events, session, shouldStop } = options;
  const { saveEveryMs = SAVE_EVERY_MS } = options;
  const plan = planRun(recipe);
  const { every } = recipe.checkpoint;
  const resumed = await resumePoint(run);
  let step = resumed?.step ?? 0;
  const state = resumed && (await readCheckpointState(resumed.folder, recipeFingerprint));
  await events.write({ type: 'start', process: 'trainer', step, threads: session.threads });

  for (const stage of plan.stages) {
    if (step >= stage.end) continue;
    const optimizer = optimizerOf(stage.optimizer, model.parameters);
    if (resumed && state && step === resumed.step && step > stage.start) {
      await restoreOptimizer(resumed.folder, optimizer, state);
    }
    let savedAt = performance.now();
    const save = async (folder: 'checkpoints' | 'resume'): Promise<void> => {
      if ((await run.has('checkpoints', step)) || (await run.has(folder, step))) return;
      const path = run.stepPath(folder, step);
      await saveCheckpoint(path, model, optimizer, { step, stage: stage.index, recipeFingerprint });
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
    const compiled = await model.step(recipe, stage, session);
    const learner = new Learner({
      step: compiled,
      parameters: model.parameters,
      optimizer,
      learningRate: learningRateOf(stage),
      clip: stage.optimizer.clip,
      layers: model.config.layers,
      seed: recipe.seed,
    });
    const batches = new BatchMaker({
      data,
      stage,
      seed: recipe.seed,
      pieces: recipe.model.passages.mode === 'max',
    });
    const evidence = new EvidenceTaker({ learner, batches, stage, every: recipe.evidence.every });
    const negatives = new StageNegatives({
      run,
      recipe,
      plan,
      stage,
      data,
      events,
      shouldStop: () => shouldStop(step),
    });

    while (step < stage.end) {
      await checkpoint();
      if (await shouldStop(step)) return save('resume');
      if (performance.now() - savedAt > saveEveryMs) await save('resume');
      const sources = await negatives.sourcesAt(step);
      if (!sources) return save('resume');
      const bySource = await evidence.at(step, sources);
      const started = performance.now();
      const made = await batches.at(step, sources);
      const update = await learner.update(step, made);
      await events.write({
        type: 'step',
        ...update,
        totalSteps: plan.totalSteps,
        stage: stage.name,
        seconds: secondsSince(started),
        negativesVersion: negatives.version,
        sources: bySource,
      });
      step++;
    }
    await checkpoint();
    await compiled.release();
  }
  await run.finish({ steps: step, totalSteps: plan.totalSteps });
  await events.write({ type: 'end', process: 'trainer', step });
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
