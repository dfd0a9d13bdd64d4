import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { locateMade } from '../run/made.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { readLabelFolder } from '../teacher/index.js';
import { takeRole } from './process/processes.js';
import { bothRoles, eventsOf, startRun } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const TEACHER = [
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 500, dropout: 0, maxLength: {query: 16, document: 16}}',
];

/** Mined, labelled by a cross-encoder, distilled from its scores and then from the teacher itself. */
const recipeOf = (teacher: string, retriever: string): string => `
extends: tiny
stages:
  - name: mine
    make: { name: mine, depth: 20 }
  - name: label
    make: { name: label, models: [${teacher}], candidates: 'stage:mine', depth: 8 }
  - name: distil
    steps: 4
    negatives: [{ source: static, file: 'stage:label', depth: 8, count: 3, sampling: balanced, maxScore: 100 }]
    teacher: { name: stored, file: 'stage:label' }
    loss: [{ name: kl, temperature: 1 }, { name: margin-mse, temperature: 1, weight: 0.1 }]
  - name: topics
    make: { name: cluster, clusters: 6 }
  - name: ask
    steps: 2
    negatives: [{ source: static, file: 'stage:label', depth: 8 }]
    batch: { queries: 4, order: { name: topic, file: 'stage:topics' } }
    teacher: { name: cross-encoder, models: [${teacher}] }
    loss:
      - { name: margin-mse-in-batch, temperature: 1, weight: 0.1 }
      - { name: kl, teacher: { name: encoder, model: ${retriever} } }
`;

let folder: string;
let run: RunDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-label-'));
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 3 });
  const teacher = await startRun(folder, 'teacher', { recipe: 'reranker', set: TEACHER });
  const retriever = await startRun(folder, 'retriever');
  await writeFile(join(folder, 'recipe.yaml'), recipeOf(teacher.file('start'), retriever.file('start')));
  run = await start('run');
  await bothRoles(run);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const start = (name: string): Promise<RunDirectory> =>
  startRun(folder, name, { recipe: join(folder, 'recipe.yaml') });

test('positives and candidates of every query are labelled', async () => {
  const labels = await readLabelFolder(await locateMade(run, 'stage:label'));
  expect(labels.rankings.size).toBeGreaterThan(30);
  for (const [query, { ids }] of labels.rankings) {
    expect(ids).toContain(query.replace('q', 'd'));
    expect(ids).toHaveLength(9);
  }
});

test('it is told whether the teacher is ahead of its student', async () => {
  const logs = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'log');
  const [{ level, message }] = logs.filter((log) => log.message.includes('teacher'));
  const figures =
    /RR@10 (\S+) on what the student finds for \d+ queries of dev, the student's own order ([.\d]+)/;
  const [teacher, student] = figures.exec(message)!.slice(1).map(Number);
  expect(level).toBe(teacher > student ? 'info' : 'warning');
  expect(message.includes('the teacher is no better than the student')).toBe(teacher <= student);
});

test('agreement of teacher and student is told before and at every checkpoint after', async () => {
  const [compared] = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'teacher');
  expect(compared).toMatchObject({ stage: 'label', measure: 'RR@10', split: 'dev' });
  const measured = (await eventsOf(run, 'inferencer')).filter((event) => event.type === 'evaluation');
  const after = measured.filter(({ step }) => step > 0).map(({ agreement }) => agreement!);
  expect(after.length).toBeGreaterThan(0);
  for (const tau of [compared.agreement!, ...after]) expect(Math.abs(tau)).toBeLessThanOrEqual(1);
});

test('sizes of topics are told', async () => {
  const made = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'made');
  const { figures } = made.find(({ maker }) => maker === 'cluster')!;
  expect(figures!.clusters).toBeLessThanOrEqual(6);
  expect(figures!.smallest).toBeGreaterThan(0);
  expect(figures!.largest).toBeGreaterThanOrEqual(figures!.median);
});

test('every loss of a teacher learns', async () => {
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  expect(steps).toHaveLength(6);
  for (const { loss, gradientNorm } of steps) {
    expect(loss).toBeGreaterThan(0);
    expect(gradientNorm).toBeGreaterThan(0);
  }
});

test('two losses of a stage learn from two teachers', async () => {
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  for (const { parts } of steps.slice(-2)) {
    expect(parts!['margin-mse-in-batch']).toBeGreaterThan(0);
    expect(parts!.kl).toBeGreaterThan(0);
  }
});

test('more topics than queries are refused', async () => {
  const greedy = await startRun(folder, 'greedy', {
    recipe: join(folder, 'recipe.yaml'),
    set: ['stages.topics.make.clusters=1000', 'stages.distil.steps=1'],
  });
  await expect(takeRole('trainer', greedy.path, { session: { threads: 1 }, quiet: true })).rejects.toThrow(
    /stage topics: expected at most as many clusters as there are training queries, \d+, got 1000/,
  );
});

test('another run asks the teacher nothing again', async () => {
  const [model] = await readdir(join(folder, 'cache', 'scores'));
  const files = (): Promise<string[]> => readdir(join(folder, 'cache', 'scores', model));
  const before = (await files()).sort();
  await bothRoles(await start('other'));
  expect((await files()).sort()).toEqual(before);
});

test('a teacher that is not there is told before anything is written', async () => {
  await writeFile(join(folder, 'absent.yaml'), recipeOf(join(folder, 'nowhere'), 'minilm'));
  await expect(startRun(folder, 'absent', { recipe: join(folder, 'absent.yaml') })).rejects.toThrow(
    /nowhere: no such teacher/,
  );
  await expect(readRunDescription(run)).resolves.toBeDefined();
});
