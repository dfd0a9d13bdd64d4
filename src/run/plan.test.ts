import { describe, expect, test } from 'vitest';
import { loadRecipe } from '../recipe/load.js';
import { checkpointStepBefore, documentsStep, isCheckpointStep, planRun, stageAt } from './plan.js';

async function planOf(name: string, set: string[] = []) {
  return planRun((await loadRecipe(name, { set })).recipe);
}

describe('the plan of a run', () => {
  test('lays stages out one after another', async () => {
    const { stages, totalSteps } = await planOf('tiny');
    expect(stages.map(({ name, start, end }) => [name, start, end])).toEqual([
      ['warmup', 0, 10],
      ['ance', 10, 30],
    ]);
    expect(totalSteps).toBe(30);
  });

  test('every step belongs to one stage', async () => {
    const plan = await planOf('tiny');
    expect([0, 9, 10, 29].map((step) => stageAt(plan, step).name)).toEqual([
      'warmup',
      'warmup',
      'ance',
      'ance',
    ]);
  });

  test('what counts as a negative in the batch follows from the sources and the loss', async () => {
    const kinds = async (name: string): Promise<string[]> =>
      (await planOf(name)).stages.map(({ losses }) => losses[0].negatives);
    expect(await kinds('rand-neg')).toEqual(['batch']);
    expect(await kinds('nce-neg')).toEqual(['hardest']);
    expect(await kinds('bm25-neg')).toEqual(['own']);
    expect(await kinds('ance-firstp')).toEqual(['batch']);
    expect(await kinds('bm25-then-nce')).toEqual(['own', 'hardest']);
  });

  test('documents stay those of the step at which stages began to freeze them', async () => {
    const frozen = ['model.towers=two', 'stages.ance.freeze=[documents]'];
    const plan = await planOf('tiny', frozen);
    expect([0, 9, 10, 11, 30].map((step) => documentsStep(plan, step))).toEqual([0, 9, 10, 10, 10]);
    const all = await planOf('tiny', [...frozen, 'stages.warmup.freeze=[documents]']);
    expect([0, 9, 10, 30].map((step) => documentsStep(all, step))).toEqual([0, 0, 0, 0]);
  });

  test('checkpoints come at the start, the end, between stages and every so often from the start of a stage', async () => {
    const plan = await planOf('tiny', ['stages.warmup.steps=12', 'checkpoint.every=8']);
    const steps = Array.from({ length: plan.totalSteps + 1 }, (_, step) => step);
    const checkpoints = steps.filter((step) => isCheckpointStep(plan, step, 8));
    expect(checkpoints).toEqual([0, 8, 12, 20, 28, 32]);
    for (const step of steps.slice(0, -1)) {
      const newest = checkpoints.filter((other) => other <= step).at(-1);
      expect(checkpointStepBefore(plan, step, 8)).toBe(newest);
    }
  });
});
