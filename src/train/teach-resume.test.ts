import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TimedEvent } from '../run/events.js';
import type { RunDirectory } from '../run/run-directory.js';
import { takeRole } from './process/processes.js';
import { bothRoles, eventsOf, startRun, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const CROSS_ENCODER = [
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 500, dropout: 0, maxLength: {query: 16, document: 16}}',
];

/** Mined, labelled, distilled, sorted into topics, and learned together with the teacher: everything that takes long. */
const recipeOf = (teacher: string): string => `
extends: tiny
refresh: { mode: lockstep }
checkpoint: { every: 3 }
stages:
  - name: mine
    make: { name: mine, depth: 40 }
  - name: label
    make: { name: label, models: [${teacher}], candidates: 'stage:mine', depth: 40 }
  - name: distil
    steps: 2
    negatives: [{ source: static, file: 'stage:label', depth: 40 }]
    teacher: { name: stored, file: 'stage:label' }
    loss: { name: margin-mse, temperature: 1 }
  - name: topics
    make: { name: cluster, clusters: 4 }
  - name: joint
    steps: 8
    negatives: [{ source: static, file: 'stage:mine', depth: 8, count: 3 }]
    batch: { queries: 8, order: { name: topic, file: 'stage:topics' } }
    teacher: { name: joint, model: ${teacher}, learningRate: 1e-3 }
    loss: { name: kl, temperature: 1 }
`;
const LAST = 10;
const ONE_THREAD = { session: { threads: 1 }, quiet: true };

let folder: string;
let expected: Buffer[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-teach-resume-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 3 });
  const teacher = await startRun(folder, 'teacher', { recipe: 'reranker', set: CROSS_ENCODER });
  await writeFile(join(folder, 'recipe.yaml'), recipeOf(teacher.file('start')));
  const run = await begin('undisturbed');
  await bothRoles(run);
  expected = await resultOf(run);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** A run with a cache of its own: what others have scored would be found there. */
async function begin(name: string): Promise<RunDirectory> {
  vi.stubEnv('NEARMISS_CACHE', join(folder, `cache-${name}`));
  return startRun(folder, name, { recipe: join(folder, 'recipe.yaml') });
}

async function resultOf(run: RunDirectory): Promise<Buffer[]> {
  const teacher = join(run.stepPath('checkpoints', LAST), 'teacher', 'model.safetensors');
  return [await weightsOf(run, LAST), await readFile(teacher)];
}

/** Both processes at the moment of an event, as if they had been killed: nothing is saved or closed after it. */
async function crashAt(run: RunDirectory, isTime: (event: TimedEvent) => boolean): Promise<void> {
  const killed = new Error('killed');
  const stop = new AbortController();
  const onEvent = (event: TimedEvent): void => {
    if (isTime(event)) throw killed;
  };
  const inferencer = takeRole('inferencer', run.path, { ...ONE_THREAD, stopSignal: stop.signal });
  await expect(takeRole('trainer', run.path, { ...ONE_THREAD, onEvent })).rejects.toThrow('killed');
  stop.abort();
  await inferencer;
}

const isMaking =
  (stage: string) =>
  (event: TimedEvent): boolean =>
    event.type === 'make' && event.stage === stage && event.done > 0;

test.each([
  ['labelling', isMaking('label')],
  ['k-means', isMaking('topics')],
  ['a joint step', (event: TimedEvent) => event.type === 'step' && event.step === 7],
])('a run that dies in %s ends in the same bits, student and teacher', async (name, isTime) => {
  const run = await begin(name.replaceAll(' ', '-'));
  await crashAt(run, isTime);
  await bothRoles(run);
  const [student, teacher] = await resultOf(run);
  expect(student.equals(expected[0])).toBe(true);
  expect(teacher.equals(expected[1])).toBe(true);
});

test('the teacher has learned', async () => {
  const start = await readFile(join(folder, 'teacher', 'start', 'model.safetensors'));
  expect(expected[1].equals(start)).toBe(false);
});

test('a teacher is compared with its student once, however often the run is taken up again', async () => {
  const asked = `
extends: tiny
refresh: { mode: lockstep }
checkpoint: { every: 2 }
stages:
  - name: asked
    steps: 4
    negatives: [{ source: random }]
    teacher: { name: cross-encoder, models: [${join(folder, 'teacher', 'start')}] }
    loss: { name: margin-mse, temperature: 1 }
`;
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache-asked'));
  await writeFile(join(folder, 'asked.yaml'), asked);
  const run = await startRun(folder, 'asked', { recipe: join(folder, 'asked.yaml') });
  const compared = async (): Promise<number> =>
    (await eventsOf(run, 'trainer')).filter(({ type }) => type === 'teacher').length;
  await crashAt(run, (event) => event.type === 'step' && event.step === 3);
  expect(await compared()).toBe(1);
  await bothRoles(run);
  expect(await compared()).toBe(1);
});
