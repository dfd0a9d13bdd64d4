import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readEvaluation } from '../run/choose-best.js';
import type { RunDirectory } from '../run/run-directory.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { openSearcher } from '../search/index.js';
import { writeKeyWords } from './key-words.fixture.js';
import { bothRoles, startRun } from './run.fixture.js';

const SMALL = [
  'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 400, dropout: 0, maxLength: {query: 32, document: 64}}',
  'optimizer={learningRate: 5e-3, warmupSteps: 5}',
  'evaluation={measures: [RR@10], best: RR@10, depth: 20}',
  'refresh.mode=lockstep',
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-sparse-run-'));
  await writeKeyWords(join(folder, 'data'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** RR@10 of the run's best checkpoint and of what it started from. */
async function measured(run: RunDirectory): Promise<{ start: number; best: number }> {
  const start = await readEvaluation(run, 0);
  return { start: start!.measures['RR@10'], best: (await bestSoFar(run))!.measures['RR@10'] };
}

describe('uniCOIL', () => {
  let run: RunDirectory;
  beforeAll(async () => {
    run = await startRun(folder, 'unicoil', {
      recipe: 'unicoil',
      set: [...SMALL, 'stages.train.steps=60', 'checkpoint.every=30'],
    });
    await bothRoles(run);
  }, 120_000);

  test('learns which words count, from negatives of its own index', async () => {
    const { start, best } = await measured(run);
    expect(best).toBeGreaterThan(start + 0.1);
    expect(best).toBeGreaterThan(0.8);
  });

  test('is searched as any other run, alone and together with BM25', async () => {
    const searcher = await openSearcher(run.path);
    expect(searcher.modes).toEqual(expect.arrayContaining(['bm25', 'dense', 'hybrid']));
    const [text] = (await searcher.search('ba', { k: 1, mode: 'bm25' })).map((hit) => hit.text);
    expect(text).toBeUndefined();
    const document = await searcher.documents.get('d7');
    const [hit] = await searcher.search(document!.text, { k: 1, mode: 'dense' });
    expect(hit.id).toBe('d7');
    expect(hit.score).toBeGreaterThan(0);
    await searcher.close();
  });
});
