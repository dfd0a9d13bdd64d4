import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareWords, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { openDataset } from '../data/index.js';
import { evaluate, type Ranking } from '../evaluate/index.js';
import { openBm25Index } from '../index/bm25/index.js';
import { listsFromBm25 } from '../negatives/lists/from-bm25.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { bothRoles, eventsOf, startRun as start, stopAfter, weightsOf } from './run.fixture.js';

const TINY = [
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 1000, dropout: 0, maxLength: {query: 16, document: 16}}',
  'optimizer={learningRate: 3e-3, warmupSteps: 5}',
  'evaluation={measures: [RR@10], depth: 20}',
  'stages.train.negatives.bm25.depth=20',
];
const SHORT = ['batch.queries=8', 'stages.train.steps=12', 'checkpoint.every=5', 'optimizer.warmupSteps=2'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-cross-run-'));
  await writeTinyData(folder);
  await shareWords(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const startRun = (name: string, set: string[]): Promise<RunDirectory> =>
  start(folder, name, { recipe: 'reranker', set: [...TINY, ...set] });

/** What BM25 measures by itself on the dev split, as deep as the cross-encoder reranks. */
async function bm25Measure(run: RunDirectory): Promise<number> {
  const dataset = await openDataset(join(folder, 'data'));
  const queries: { id: string; text: string }[] = [];
  for await (const { id, text } of dataset.queries('dev')) queries.push({ id, text });
  const index = await openBm25Index(run.file('cache', 'bm25'));
  const rankings = new Map<string, Ranking>();
  const texts = queries.map(({ text }, query) => ({ query, text }));
  for await (const { query, ids, scores } of listsFromBm25(index, texts, { depth: 20, threads: 1 })) {
    const named = Array.from(ids, (id) => index.documentId(id));
    rankings.set(queries[query].id, { ids: named, scores: Float64Array.from(scores) });
  }
  return evaluate({ tag: 'bm25', rankings }, await dataset.qrels('dev'), ['RR@10'], { complete: true }).mean[
    'RR@10'
  ];
}

test('a cross-encoder learns to rerank better than BM25 ranks', async () => {
  const run = await startRun('learns', ['stages.train.steps=240', 'checkpoint.every=80']);
  await bothRoles(run);
  expect(await run.isFinished()).toBe(true);
  const best = await bestSoFar(run);
  const bm25 = await bm25Measure(run);
  expect(bm25).toBeGreaterThan(0.1);
  expect(best!.measures['RR@10']).toBeGreaterThan(bm25 + 0.2);
  const config = JSON.parse(await readFile(run.file('best', 'config.json'), 'utf8'));
  expect(config.architectures).toEqual(['BertForSequenceClassification']);
});

test.each(['nll', 'bce'])(
  'a run with %s that is stopped goes on where it was, to the same bits',
  async (loss) => {
    const set = [...SHORT, `loss.name=${loss}`, 'model.dropout=0.1'];
    const [whole, halved] = [await startRun(`whole-${loss}`, set), await startRun(`halved-${loss}`, set)];
    await bothRoles(whole);
    await stopAfter(halved, 7);
    expect(await halved.isFinished()).toBe(false);
    await bothRoles(halved);
    expect((await weightsOf(halved, 12)).equals(await weightsOf(whole, 12))).toBe(true);
  },
);

test('the live view is told how far measuring is', async () => {
  const run = await startRun('events', SHORT);
  await bothRoles(run);
  const events = await eventsOf(run, 'inferencer');
  const encoded = events.filter((event) => event.type === 'encode');
  expect(encoded.at(-1)).toMatchObject({ step: 12, done: encoded.at(-1)!.total });
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  expect(steps).toHaveLength(12);
  // 8 queries with 4 documents each, of 3 special tokens and at least 5 words.
  expect(steps.every(({ tokens }) => tokens >= 8 * 4 * 8)).toBe(true);
});

test('a stage merges a cross-encoder with its start by how they rerank', async () => {
  const soup = '{name: soup, make: {name: merge, weights: [0, 0.5, 1]}}';
  const train = '{name: train, steps: 12, negatives: [{source: bm25, count: 3, depth: 20}]}';
  const run = await startRun('merged', [...SHORT, `stages=[${train}, ${soup}]`]);
  await bothRoles(run);
  const [made] = await readdir(run.file('made'));
  const { candidates, trained } = JSON.parse(await readFile(run.file('made', made, 'merge.json'), 'utf8'));
  const measured = async (step: number): Promise<number> =>
    JSON.parse(await readFile(run.stepPath('evaluations', step), 'utf8')).measures['RR@10'];
  expect(candidates[0].value).toBeCloseTo(await measured(0), 12);
  expect(candidates[2].value).toBeCloseTo(await measured(12), 12);
  const chosen = candidates.find((candidate: { trained: number }) => candidate.trained === trained);
  expect(await measured(13)).toBeCloseTo(chosen.value, 12);
});
