import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exists } from '../../base/files.js';
import { Bm25Ranker, openBm25Index } from '../../index/bm25/index.js';
import { fixedTableNames } from '../../run/fixed-tables.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { analyzeRuns } from '../analyze.js';
import { shareWords, trainTinyRun, writeTinyData } from '../tiny-run.fixture.js';
import { bm25Overlap } from './bm25-overlap.js';
import { BruteForce } from './brute-force.fixture.js';
import { type OpenCheckpoint, openCheckpoint } from './open-checkpoint.js';

let folder: string;
let run: RunDirectory;
let checkpoint: OpenCheckpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-analyze-bm25-'));
  await writeTinyData(folder);
  await shareWords(folder);
  run = await trainTinyRun(folder, 'run');
  checkpoint = await openCheckpoint({ run, session: { threads: 1 }, quiet: true });
});
afterAll(async () => {
  await checkpoint.close();
  await rm(folder, { recursive: true, force: true });
});

test('holes and shared hits are those of the two rankings', async () => {
  const found = await bm25Overlap(checkpoint);
  const brute = await BruteForce.of(run, checkpoint.step);
  const ranker = new Bm25Ranker(await openBm25Index(run.file('cache', 'bm25')));
  const qrels = await checkpoint.data.dataset.qrels('dev');
  const texts = new Map<string, string>();
  for await (const { id, text } of checkpoint.data.dataset.queries('dev')) texts.set(id, text);
  // Equal scores, of which BM25 has many here, in the order of trec_eval.
  const sparseHits = (text: string): string[] => {
    const { ids, scores } = ranker.rank(text, { k: 100 });
    return Array.from(ids, (i, rank) => ({ id: brute.documentIds[i], score: scores[rank] }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);
  };
  expect(found.queries).toBe(qrels.size);
  for (const { cutoff, holes, shared } of found.rows) {
    const expected = { model: 0, bm25: 0, shared: 0 };
    for (const [id, judgments] of qrels) {
      const scores = brute.scores(id);
      const order = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a]);
      const dense = order.slice(0, cutoff).map((i) => brute.documentIds[i]);
      const sparse = sparseHits(texts.get(id)!).slice(0, cutoff);
      const judged = (ids: string[]): number => ids.filter((hit) => judgments.has(hit)).length;
      expected.model += 1 - judged(dense) / dense.length;
      expected.bm25 += 1 - judged(sparse) / sparse.length;
      const both = dense.filter((hit) => sparse.includes(hit)).length;
      expected.shared += both / Math.max(dense.length, sparse.length);
    }
    expect(holes.model).toBeCloseTo(expected.model / qrels.size, 3);
    expect(holes.bm25).toBeCloseTo(expected.bm25 / qrels.size, 6);
    expect(shared).toBeCloseTo(expected.shared / qrels.size, 3);
    expect(shared).toBeGreaterThan(0);
  }
  const { wins, ties, losses } = found.against;
  expect(wins + ties + losses).toBe(qrels.size);
  expect(found.measures['RR@10'].bm25).toBeGreaterThan(0);
});

test("a run without BM25 negatives gets an index beside the run's own files", async () => {
  const options = { runs: [run.path], sections: ['overlap'] as const, queries: 30, threads: 1, quiet: true };
  const bm25 = async (): Promise<{ negatives: number; shares: number[] }> =>
    (await analyzeRuns(options)).overlap!.sources.find(({ source }) => source === 'bm25')!;
  expect((await bm25()).negatives).toBe(30 * 8);
  const [table] = await fixedTableNames(run);
  await rename(run.file('negatives', table), run.file('negatives', 'bm25'));
  expect((await bm25()).negatives, 'a run from before').toBe(30 * 8);
  await rm(run.file('negatives', 'bm25'), { recursive: true });
  await rm(run.file('cache', 'bm25'), { recursive: true });
  expect((await bm25()).negatives).toBe(30 * 8);
  expect(await exists(run.file('cache', 'bm25'))).toBe(false);
  expect(await exists(run.file('cache', 'analyze', 'bm25'))).toBe(true);
});

test('a run without ANN negatives is analysed too, its costs from what was measured', async () => {
  const plain = await trainTinyRun(folder, 'plain', ['stages.ance.negatives=[{source: random}]']);
  const { overlap, costs } = await analyzeRuns({
    runs: [plain.path],
    sections: ['overlap', 'costs'],
    queries: 10,
    threads: 1,
    quiet: true,
  });
  expect(overlap!.sources.map(({ source }) => source)).toEqual(['random', 'in-batch', 'bm25', 'true top']);
  expect(overlap!.cutoffs).toEqual([100]);
  expect(costs!.rows.find(({ what }) => what === 'encode the corpus')!.seconds).toBeGreaterThan(0);
});
