import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readPseudoFolder } from '../examples/index.js';
import { isCrossEncoder } from '../model/index.js';
import { locateMade } from '../run/made.js';
import type { RunDirectory } from '../run/run-directory.js';
import { judge } from './make/pseudo-label.js';
import { bothRoles, eventsOf, startRun } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const CROSS =
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 500, dropout: 0, maxLength: {query: 16, document: 16}}';

/** All of RocketQA's steps, each as short as can be; whatever the cross-encoder says is taken for sure. */
const RECIPE = `
extends: tiny
stages:
  - name: first
    steps: 2
    negatives: [in-batch]
  - name: mine
    make: { name: mine, depth: 10 }
  - name: cross
    make:
      name: train
      candidates: 'stage:mine'
      depth: 10
      set: ['${CROSS}', stages.train.steps=3, optimizer.warmupSteps=1, evaluation.when=end]
  - name: label
    make: { name: label, models: ['stage:cross'], candidates: 'stage:mine', depth: 5 }
  - name: denoised
    steps: 2
    negatives: [in-batch, { source: static, file: 'stage:label', depth: 6, maxScore: 100 }]
  - name: more
    make: { name: pseudo-label, models: ['stage:cross'], depth: 6, positive: 0, negative: 1, count: 2 }
  - name: augmented
    steps: 6
    examples: { name: pseudo-labelled, file: 'stage:more' }
    negatives: [in-batch, { source: static, file: 'stage:label', depth: 6 }]
`;

/** Queries that lose their judgments. */
const UNJUDGED = 12;

let folder: string;
let run: RunDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-rocketqa-'));
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache'));
  await writeSynonyms(join(folder, 'data'), { words: 7, seed: 3 });
  const path = join(folder, 'data', 'qrels', 'train.tsv');
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  await writeFile(path, `${lines.slice(0, -UNJUDGED).join('\n')}\n`);
  await writeFile(join(folder, 'recipe.yaml'), RECIPE);
  run = await startRun(folder, 'run', { recipe: join(folder, 'recipe.yaml') });
  await bothRoles(run);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

test("a cross-encoder is trained inside the run on what the run's model found", async () => {
  expect(await isCrossEncoder(await locateMade(run, 'stage:cross'))).toBe(true);
  const made = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'made');
  expect(made.map(({ stage, maker }) => [stage, maker])).toEqual([
    ['mine', 'mine'],
    ['cross', 'train'],
    ['label', 'label'],
    ['more', 'pseudo-label'],
  ]);
});

test('queries without judgments get positives and negatives, and are learned from', async () => {
  const { asked, examples } = await readPseudoFolder(await locateMade(run, 'stage:more'));
  expect([asked, examples.length]).toEqual([UNJUDGED, UNJUDGED]);
  expect(new Set(examples.map(({ query }) => query)).size).toBe(UNJUDGED);
  for (const { positive, negatives } of examples) {
    expect(negatives).toHaveLength(2);
    expect(negatives).not.toContain(positive);
  }
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  expect(steps.map(({ stage }) => stage).filter((stage) => stage === 'augmented')).toHaveLength(6);
  expect(steps.every(({ loss }) => Number.isFinite(loss))).toBe(true);
});

test('a recipe that is not there is told before anything is trained', async () => {
  const options = { recipe: join(folder, 'recipe.yaml'), set: ['stages.cross.make.recipe=rerankerr'] };
  await expect(startRun(folder, 'wrong', options)).rejects.toThrow(/rerankerr/);
});

const thresholds = { positive: 0.9, negative: 0.1, count: 2 };

test('the best document is the positive where it is sure, the first bad ones are the negatives', () => {
  expect(judge(4, [7, 8, 9, 10, 11], Float32Array.of(1, 3, -3, -4, -5), thresholds)).toEqual({
    query: 4,
    positive: 8,
    negatives: [9, 10],
  });
  expect(judge(4, [7, 8], Float32Array.of(1, 2), thresholds)).toBeUndefined();
  expect(judge(4, [], new Float32Array(), thresholds)).toBeUndefined();
});
