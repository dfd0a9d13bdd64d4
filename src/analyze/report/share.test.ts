import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunDirectory } from '../../run/run-directory.js';
import { bothRoles, startRun } from '../../train/run.fixture.js';
import { analyzeRuns } from '../analyze.js';
import { measureQuality } from '../quality/measure.js';
import { writeTinyData } from '../tiny-run.fixture.js';
import { makeSharedReport } from './share.js';

const SMALL_RERANKER = [
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 1000, maxLength: {query: 16, document: 16}}',
  'evaluation={measures: [RR@10], depth: 20}',
  'batch.queries=8',
  'stages.train.steps=6',
  'stages.train.negatives.bm25.depth=20',
];

let folder: string;
let run: RunDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-share-'));
  await writeTinyData(folder);
  run = await startRun(folder, 'reranker', { recipe: 'reranker', set: SMALL_RERANKER });
  await bothRoles(run);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a reranker's report has its curves, and nothing that would need an index", async () => {
  const { html, quality, space, figures } = await makeSharedReport({ run: run.path, quiet: true });
  expect([quality, space]).toEqual([undefined, []]);
  expect(figures.map(({ name }) => name)).toEqual(expect.arrayContaining(['loss', 'dev']));
  expect(html).toContain('Training loss');
  expect((await analyzeRuns({ runs: [run.path] })).curves?.steps).toBe(6);
});

test('what would need an index of a reranker says that there is none', async () => {
  await expect(measureQuality({ run: run.path })).rejects.toThrow('a model of its kind has no index');
  await expect(analyzeRuns({ runs: [run.path], sections: ['overlap'] })).rejects.toThrow(
    'a model of its kind has no index',
  );
});
