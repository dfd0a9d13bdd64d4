import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examples, orders } from '../../examples/index.js';
import { infoNce } from '../../loss/index.js';
import { RandomSource } from '../../negatives/index.js';
import { loadRecipe } from '../../recipe/load.js';
import { openRun } from '../../run/open-run.js';
import { type PlannedStage, planRun } from '../../run/plan.js';
import type { TrainingData } from '../../run/training-data.js';
import type { CountedSource } from '../mining/stage-supplies.js';
import { createRun } from '../process/create-run.js';
import { SMALL_SPEC, smallParameters } from '../small-model.fixture.js';
import { negativeMask } from '../step/loss-feeds.js';
import { towerStep } from '../step/tower-step.fixture.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import { documentCount } from './batch.js';
import { BatchMaker, type MadeBatch } from './batch-maker.js';
import { guided } from './batch-teacher.js';

let folder: string;
let data: TrainingData;
let stage: PlannedStage;
let sources: CountedSource[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-batches-'));
  await writeSynonyms(join(folder, 'data'), { words: 6, seed: 1 });
  const { recipe } = await loadRecipe('tiny', { set: ['batch.accumulate=2', 'batch.queries=7'] });
  const description = {
    data: join(folder, 'data'),
    split: 'train',
    recipe,
  };
  await createRun(join(folder, 'run'), description, { quiet: true });
  data = (await openRun(join(folder, 'run'), { quiet: true })).data;
  stage = planRun(recipe).stages[1];
  const positives = (query: number): Int32Array => data.training[query].positives;
  sources = [{ source: new RandomSource({ documentCount: data.documents.count, positives }), count: 3 }];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const maker = async (seed = 1, documentTokens?: number): Promise<BatchMaker> => {
  const { start, index, batch } = stage;
  const labelled = examples.get('labelled');
  const source = await labelled.open({}, { ...data, documentCount: data.documents.count, seed } as never);
  const locate = async (file: string): Promise<string> => file;
  const order = await orders
    .get('shuffled')
    .open({}, { count: source.count, seed, stage: index, ...batch, locate });
  const { accumulate } = batch;
  const length = documentTokens === undefined ? {} : { documentTokens };
  return new BatchMaker({ data, examples: source, order, seed, start, accumulate, pieces: false, ...length });
};
const batchesAt = async (made: BatchMaker, step: number): Promise<MadeBatch[]> =>
  (await made.at(step, async () => sources))!;

test('a batch is a pure function of seed and step', async () => {
  const used = await maker();
  for (let step = stage.start; step < stage.start + 5; step++) await batchesAt(used, step);
  const step = stage.start + 3;
  expect(await batchesAt(await maker(), step)).toEqual(await batchesAt(used, step));
  expect(await batchesAt(await maker(2), step)).not.toEqual(await batchesAt(used, step));
});

test('an epoch visits every training query once', async () => {
  const perStep = 2 * 7;
  const steps = Math.floor(data.training.length / perStep);
  const seen: number[] = [];
  for (let step = 0; step < steps; step++) {
    for (const { members } of await batchesAt(await maker(), stage.start + step)) seen.push(...members);
  }
  expect(new Set(seen).size).toBe(steps * perStep);
});

test('documents stand in a batch once, and no positive is among the negatives', async () => {
  for (const batch of await batchesAt(await maker(), stage.start)) {
    expect(documentCount(batch)).toBe(batch.documents.length);
    batch.members.forEach((_, q) => {
      expect(batch.negatives[q]).toHaveLength(3);
      expect(batch.negatives[q]).not.toContain(batch.positives[q]);
      expect(batch.known![q]).toContain(batch.positives[q]);
      expect(batch.provenance[q].every(({ source }) => source === 'random')).toBe(true);
    });
  }
});

test('of long documents fewer tokens are read, between the same special tokens', async () => {
  const [whole] = await batchesAt(await maker(), stage.start);
  const most = Math.max(...whole.documents.map(({ ids }) => ids.length)) - 1;
  const [cut] = await batchesAt(await maker(1, most), stage.start);
  expect(cut.queries).toEqual(whole.queries);
  for (const [i, { ids }] of whole.documents.entries()) {
    const all = Array.from(ids);
    const expected = all.length <= most ? all : [...all.slice(0, most - 1), all.at(-1)];
    expect(Array.from(cut.documents[i].ids)).toEqual(expected);
  }
  expect(Math.max(...cut.documents.map(({ ids }) => ids.length))).toBe(most);
});

test('a batch of few documents is filled up with one that counts for nobody', async () => {
  const labelled = await examples
    .get('labelled')
    .open({}, { ...data, documentCount: data.documents.count, seed: 1 } as never);
  const { start } = stage;
  const lone = new BatchMaker({
    ...{ data, examples: labelled, seed: 1, start, accumulate: 1, pieces: false },
    order: { members: () => [0] },
  });
  const [batch] = (await lone.at(start, async () => []))!;
  expect(batch).toMatchObject({ positives: [0], negatives: [[]], masked: [[1, 2]] });
  expect(batch.documents).toEqual(Array(3).fill(batch.documents[0]));
  for (const negatives of ['own', 'batch', 'positives', 'hardest'] as const) {
    expect([...negativeMask(batch, negatives).data]).toEqual([0, 0, 0]);
  }
  const [parameters, text] = [smallParameters('two'), { ids: [1, 2, 3] }];
  const step = await towerStep({
    ...{ spec: SMALL_SPEC, parameters, towers: 'two', loss: infoNce, negatives: 'batch' },
    session: { threads: 1 },
  });
  const texts = { queries: [text], documents: batch.documents.map(() => text) };
  const { loss } = await step.addGradients({ ...batch, ...texts }, parameters.zerosLike(), {
    seed: 1,
    step: 0,
  });
  await step.release();
  expect(loss).toBeCloseTo(0, 6);
  // A guide leaves out what it leaves out besides.
  const teacher = { scores: Float32Array.of(1, 2, 0), known: Float32Array.of(1, 1, 1) };
  expect(guided({ ...batch, teacher }, 0).masked).toEqual([[1, 2]]);
});
