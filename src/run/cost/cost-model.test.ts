import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRecipe } from '../../recipe/load.js';
import { coreSpeed } from './core-speed.js';
import { CostModel, type TrainingCost } from './cost-model.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-cost-'));
  const documents = Array.from({ length: 200 }, (_, i) => ({ _id: `d${i}`, text: 'word '.repeat(400) }));
  await writeFile(
    join(folder, 'corpus.jsonl'),
    documents.map((document) => `${JSON.stringify(document)}\n`).join(''),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function costOf(
  set: string[],
  options: { from?: number; threads?: number } = {},
): Promise<TrainingCost> {
  const { recipe } = await loadRecipe('rand-neg', { set: ['model.maxLength.document=256', ...set] });
  return (await CostModel.open(recipe, folder)).training(recipe, { threads: 1, ...options });
}

test('counts steps, and encodings of start and checkpoints', async () => {
  expect(await costOf(['stages.train.steps=300', 'checkpoint.every=100'])).toMatchObject({
    steps: 300,
    encodings: 4,
  });
  expect(await costOf(['stages.train.steps=300', 'checkpoint.every=100'], { from: 100 })).toMatchObject({
    steps: 200,
    encodings: 2,
  });
});

test('reading fewer tokens while learning, or frozen documents, make steps cheaper', async () => {
  const whole = (await costOf([])).seconds;
  expect((await costOf([], { threads: 2 })).seconds).toBeLessThan(0.6 * whole);
  expect((await costOf(['batch.documentTokens=64'])).seconds).toBeLessThan(0.4 * whole);
  const frozen = ['model.towers=two', 'stages.train.freeze=[documents]'];
  const cost = await costOf(frozen);
  expect(cost.encodings).toBe(1);
  expect(cost.seconds).toBeLessThan(0.2 * whole);
});

test('memory grows with the tokens of a step, and gradient caching bounds it', async () => {
  const memoryOf = async (...set: string[]): Promise<number> => {
    const { recipe } = await loadRecipe('rand-neg', { set: ['model.maxLength.document=256', ...set] });
    return (await CostModel.open(recipe, folder)).memoryBytes(recipe);
  };
  const whole = await memoryOf('batch.queries=64');
  expect(await memoryOf('batch.queries=32')).toBeLessThan(0.6 * whole);
  expect(await memoryOf('batch.queries=64', 'batch.documentTokens=64')).toBeLessThan(0.4 * whole);
  expect(await memoryOf('batch.queries=64', 'batch.cacheTokens=2048')).toBe(
    await memoryOf('batch.queries=128', 'batch.cacheTokens=2048'),
  );
});

test('seconds are those of this machine, whose speed is measured once', async () => {
  const speed = coreSpeed();
  expect(coreSpeed()).toBe(speed);
  // Anything from a slow container to a core of the next years.
  const coreFlops = await speed;
  expect(coreFlops).toBeGreaterThan(1e8);
  expect(coreFlops).toBeLessThan(1e13);
  const [some, more] = [await costOf(['stages.train.steps=300']), await costOf(['stages.train.steps=600'])];
  // A step reads 6,000 tokens or so, each with 6 operations for every one of 10.6 million numbers.
  const seconds = (tokens: number): number => (300 * tokens * 6 * 10.6e6) / coreFlops;
  expect(more.seconds - some.seconds).toBeGreaterThan(seconds(3000));
  expect(more.seconds - some.seconds).toBeLessThan(seconds(20_000));
});
