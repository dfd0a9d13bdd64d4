import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { reproduceTable1, type Table1Options } from './table1.js';

vi.setConfig({ testTimeout: 240_000 });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-table1-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SMALL = [
  'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 300, maxLength: {query: 8, document: 8}}',
  'optimizer.learningRate=5e-3',
  'evaluation.when=end',
  'refresh.mode=lockstep',
];

function options(more: Partial<Table1Options> = {}): Table1Options {
  return {
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'dev',
    out: join(folder, 'out'),
    stepFactor: 0.1,
    set: SMALL,
    recipes: ['rand-neg', 'bm25-then-rand', 'ance-firstp'],
    threads: 1,
    supervise: {
      threads: { trainer: 1, inferencer: 1 },
      onEvent: () => undefined,
      onRestart: () => undefined,
      stopSignal: new AbortController().signal,
    },
    ...more,
  };
}

test('rows start alike, take the same steps, are compared with each other and not trained twice', async () => {
  const { rows } = await reproduceTable1(options());
  expect(rows.map(({ system, steps }) => [system, steps])).toEqual([
    ['BM25', 0],
    ['untrained', 0],
    ['Rand Neg', 30],
    ['BM25 → Rand', 30],
    ['ANCE FirstP', 30],
  ]);
  const [bm25, start, rand, , ance] = rows;
  // Few queries share a word with their document here, so BM25 finds next to nothing to reorder.
  expect(bm25.measures['RR@10']).toBeLessThan(0.1);
  expect(ance.rerank?.['RR@10']).toBeLessThan(0.1);
  expect(rand.measures['RR@10']).toBeGreaterThan(start.measures['RR@10'] + 0.1);
  expect(ance.measures['RR@10']).toBeGreaterThan(start.measures['RR@10'] + 0.1);
  expect(ance.pValues['Rand Neg']).toBe(rand.pValues['ANCE FirstP']);
  expect(ance.pValues.untrained).toBeLessThan(0.05);

  const untouched = { ...options().supervise, onEvent: () => expect.fail('a row was trained again') };
  const again = await reproduceTable1(options({ supervise: untouched }));
  expect(again.rows).toEqual(rows);

  await expect(reproduceTable1(options({ set: [...SMALL, 'seed=7'] }))).rejects.toThrow(
    /rand-neg: this run was begun with another recipe:\nseed: \d+ → 7/,
  );
});
