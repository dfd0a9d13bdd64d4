import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { asynchronyPlot, asynchronyText, reproduceAsynchrony } from '../asynchrony/asynchrony.js';
import { efficiencyText, reproduceEfficiency } from '../efficiency/efficiency.js';
import { oneThread } from '../one-thread.fixture.js';
import { SPACES } from './cells.js';
import { type ProductionOptions, reproduceProduction } from './production.js';
import { productionText } from './report.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-studies-'));
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache'));
  await writeSynonyms(join(folder, 'data'), { words: 9, seed: 3 });
  await writeSynonyms(join(folder, 'other'), { words: 12, seed: 8 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const SIZES =
  'init: scratch, layers: 1, hiddenSize: 128, heads: 2, vocabularySize: 300, maxLength: {query: 8, document: 8}';

function options(out: string): Omit<ProductionOptions, 'distractors' | 'onCell'> {
  return {
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'dev',
    out: join(folder, out),
    stepFactor: 0.02,
    set: [`model={${SIZES}}`, 'optimizer.learningRate=5e-3', 'evaluation.when=end'],
    ...oneThread(),
  };
}

test('production: every space, index and size, from runs and vectors that are made once', async () => {
  const study = { ...options('production'), distractors: [join(folder, 'other')] };
  const result = await reproduceProduction(study);
  const { ownDocuments, cells } = result;
  const all = Math.max(...cells.map(({ documents }) => documents));
  expect(all).toBeGreaterThan(ownDocuments);
  expect(cells.map(({ documents, space, search }) => [documents, space, search])).toEqual(
    SPACES.flatMap(({ name }) =>
      [ownDocuments, all].flatMap((documents) =>
        ['exact', 'hnsw', 'int8', 'binary'].map((search) => [documents, name, search]),
      ),
    ),
  );
  for (const { baseline, ance, gain } of cells) {
    expect(gain).toBeCloseTo(ance['RR@10'] / baseline['RR@10'] - 1, 9);
    expect(ance['RR@10']).toBeGreaterThan(0);
  }
  // Few documents are all compared again as whole vectors.
  const [exact, , int8] = cells;
  expect(int8.ance).toEqual(exact.ance);
  expect(productionText(result, 'text')).toContain('64 Matryoshka');
  const untouched = { ...study.supervise, onEvent: () => expect.fail('a run was trained again') };
  expect(await reproduceProduction({ ...study, supervise: untouched })).toEqual(result);
  await expect(reproduceProduction({ ...study, sizes: [all + 1] })).rejects.toThrow(
    `--sizes: expected from ${ownDocuments} documents`,
  );
});

test('efficiency: what a refresh, a step and a query cost, beside BM25', async () => {
  const result = await reproduceEfficiency(options('efficiency'));
  expect(new Set(result.rows.map(({ part }) => part))).toEqual(
    new Set(['BM25', 'refresh', 'training', 'serving']),
  );
  for (const { seconds, each } of result.rows) expect(seconds ?? each).toBeGreaterThanOrEqual(0);
  expect(efficiencyText(result, 'markdown')).toContain('| BM25 | search |');
});

test('asynchrony: a curve for each setting', async () => {
  const result = await reproduceAsynchrony({
    ...options('asynchrony'),
    set: [`model={${SIZES}}`],
    stepFactor: 0.1,
    intervals: [50, 100],
    learningRates: [5e-3],
    shares: [{ trainer: 1, inferencer: 1 }],
  });
  expect(result.cells.map(({ interval, learningRate }) => [interval, learningRate])).toEqual([
    [50, 5e-3],
    [100, 5e-3],
  ]);
  for (const { curve, best, last, meanAge, refreshes } of result.cells) {
    expect(curve.at(-1)!.step).toBe(30);
    expect(best).toBeGreaterThanOrEqual(last);
    expect(meanAge).toBeGreaterThan(0);
    expect(refreshes).toBeGreaterThan(0);
  }
  expect(asynchronyPlot(result)).toContain('every 50, 0.005, 1:1');
  expect(asynchronyText(result, 'text')).toContain('largest fall');
});
