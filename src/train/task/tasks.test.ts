import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWeights } from '../../model/folder/weights.js';
import { tasks } from '../../recipe/axes.js';
import { loadRecipe } from '../../recipe/load.js';
import { bothRoles, startRun } from '../run.fixture.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import { type TaskSubject, taskConformance } from './task.conformance.js';

let folder: string;
let crossEncoder: string;
const CROSS_ENCODER = [
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 1000, dropout: 0, maxLength: {query: 16, document: 32}}',
];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-tasks-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 4 });
  // Of the student's vocabulary, so that both read the same tokens.
  crossEncoder = (await startRun(folder, 'cross-encoder', { recipe: 'reranker', set: CROSS_ENCODER })).file(
    'start',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const examples = resolve(import.meta.dirname, '../../../examples/axes');

interface Case extends Pick<TaskSubject, 'name' | 'interruptions' | 'state'> {
  steps?: number;
  recipe?: string;
  set?: string[] | (() => string[]);
}

const CASES: Case[] = [
  {
    name: 'retrieval, several losses, dropout and accumulation',
    set: [
      'loss=[{name: infonce}, {name: ranknet, weight: 0.5}]',
      'model.dropout=0.1',
      'batch.accumulate=2',
      'stages.warmup.steps=4',
      'stages.ance.steps=8',
      'checkpoint.every=4',
    ],
    steps: 12,
    interruptions: [1, 6, 9],
  },
  {
    name: 'retrieval among documents that are frozen and searched at each step (ADORE)',
    set: [
      'model.towers=two',
      'stages=[{name: adore, steps: 12, freeze: [documents], negatives: [{source: searched, count: 5}], loss: lambda}]',
    ],
    steps: 12,
    interruptions: [4],
  },
  {
    name: 'retrieval with a teacher',
    recipe: join(examples, 'teacher.yaml'),
    set: ['stages.train.steps=12'],
    steps: 12,
    interruptions: [6],
  },
  {
    name: 'retrieval of the same text under another mask, with a projector (SimCSE)',
    set: [
      'model.dropout=0.1',
      'examples={name: same-text, minWords: 1}',
      'stages=[{name: simcse, steps: 8, task: {name: retrieval, projector: true}, negatives: [in-batch]}]',
    ],
    steps: 8,
    interruptions: [2, 5],
    state: ['projector-firstMoment', 'projector-secondMoment', 'projector'],
  },
  {
    name: 'moco, with dropout and accumulation, its queue full on the way',
    set: [
      'model.dropout=0.1',
      'batch.accumulate=2',
      'stages=[{name: moco, steps: 8, task: {name: moco, queue: 40, momentum: 0.8}}]',
    ],
    steps: 8,
    interruptions: [1, 5],
    state: ['momentum', 'queue'],
  },
  {
    name: 'mlm, with dropout and accumulation',
    set: [
      'model.dropout=0.1',
      'batch.accumulate=2',
      'stages=[{name: mlm, steps: 8, task: {name: mlm, heldOut: 0.2}}]',
      'checkpoint.every=4',
    ],
    steps: 8,
    interruptions: [1, 5],
    state: ['mlm-head-firstMoment', 'mlm-head-secondMoment', 'mlm-head'],
  },
  {
    name: 'retromae, with dropout, accumulation and in several parts',
    set: [
      'model.dropout=0.1',
      'batch.accumulate=2',
      'stages=[{name: retromae, steps: 8, task: {name: retromae, heldOut: 0.2, tokens: 64}}]',
      'checkpoint.every=4',
    ],
    steps: 8,
    interruptions: [1, 5],
    state: ['retromae-firstMoment', 'retromae-secondMoment', 'retromae'],
  },
  {
    name: 'generate, with dropout and in several parts',
    recipe: 'query-generator',
    set: [
      'model={init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 200}',
      'model.decoder.layers=1',
      'model.dropout=0.1',
      'refresh.mode=lockstep',
      'batch.queries=6',
      'stages.generate.steps=12',
      'stages.generate.task.tokens=64',
      'checkpoint.every=6',
    ],
    steps: 12,
    interruptions: [4],
  },
  {
    name: 'term-weights, with dropout and in several parts',
    recipe: 'deepct',
    set: [
      'model={init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 200, dropout: 0.1}',
      'refresh.mode=lockstep',
      // Few queries share a word with their document, and of a step one has to.
      'batch.queries=40',
      'stages.train.steps=12',
      'stages.train.task.tokens=64',
      'checkpoint.every=6',
    ],
    steps: 12,
    interruptions: [4],
  },
  {
    name: 'retrieval with a teacher that learns in the same steps (RocketQA v2)',
    set: () => [
      'batch.accumulate=2',
      `teacher={name: joint, model: ${crossEncoder}, learningRate: 1e-3}`,
      'stages=[{name: joint, steps: 8, negatives: [{source: random, count: 3}], loss: {name: kl, temperature: 1}}]',
    ],
    steps: 8,
    interruptions: [4],
    state: ['teacher-firstMoment', 'teacher-secondMoment', 'teacher'],
  },
  {
    name: 'steady-pairs',
    recipe: join(examples, 'task.yaml'),
    set: ['stages.train.steps=12'],
    steps: 12,
    interruptions: [3, 8],
    state: ['average'],
  },
];

for (const { name, recipe = 'tiny', set = [], steps = 30, ...rest } of CASES) {
  const start = (run: string) =>
    startRun(folder, `${name.split(' ').join('-')}-${run}`, {
      recipe,
      set: typeof set === 'function' ? set() : set,
    });
  taskConformance({ name, start, steps, ...rest });
}

test('the decoder of RetroMAE is no part of the model that is saved, the head that guesses words is', async () => {
  const set = ['stages=[{name: retromae, steps: 1, task: retromae}]'];
  const run = await startRun(folder, 'saved-retromae', { set });
  await bothRoles(run);
  const saved = await openWeights(run.stepPath('checkpoints', 1), { asStored: true });
  expect(saved.has('cls.predictions.bias')).toBe(true);
  expect([...saved.names].filter((name) => name.includes('decoder.'))).toEqual([]);
  await saved.close();
});

test('every task is held to the suite', async () => {
  await loadRecipe(join(examples, 'task.yaml'));
  expect(tasks.names.filter((task) => !CASES.some(({ name }) => name.startsWith(task)))).toEqual([]);
});
