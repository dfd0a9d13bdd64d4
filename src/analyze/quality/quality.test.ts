import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataset, type Qrels } from '../../data/index.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { bestSoFar } from '../../run/step-evaluation.js';
import type { StudyProgress } from '../study-progress.js';
import { shareWords, trainTinyRun, writeTinyData } from '../tiny-run.fixture.js';
import { measureQuality } from './measure.js';
import type { Quality } from './quality.js';
import { readQualityCase } from './quality-files.js';

let folder: string;
let run: RunDirectory;
let qrels: Qrels;
let quality: Quality;
const progress: StudyProgress[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-quality-'));
  await writeTinyData(folder);
  await shareWords(folder);
  run = await trainTinyRun(folder, 'run');
  qrels = await (await openDataset(join(folder, 'data'))).qrels('dev');
  quality = await measureQuality({ run: run.path, threads: 1, onProgress: (one) => progress.push(one) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the model measures as the run itself has measured it, before and after', async () => {
  const best = (await bestSoFar(run))!;
  const start = JSON.parse(await readFile(run.stepPath('evaluations', 0), 'utf8'));
  expect(quality.step).toBe(best.step);
  expect(quality.systems.map(({ name }) => name)).toEqual(['bm25', 'start', 'model', 'hybrid']);
  const means = Object.fromEntries(quality.systems.map(({ name, means }) => [name, means['RR@10']]));
  expect(means.model).toBeCloseTo(best.measures['RR@10'], 6);
  expect(means.start).toBeCloseTo(start.measures['RR@10'], 6);
  expect(means.bm25).toBeGreaterThan(0);
});

test('every measure has its difference from BM25, with significance; BM25 has none', () => {
  const [bm25, , model] = quality.systems;
  expect(bm25.against).toBeUndefined();
  expect(Object.keys(model.against!)).toEqual(quality.measures);
  for (const measure of quality.measures) {
    const { difference, p, wins, ties, losses } = model.against![measure];
    expect(difference).toBeCloseTo(model.means[measure] - bm25.means[measure], 12);
    expect(p).toBeGreaterThanOrEqual(0);
    expect(p).toBeLessThanOrEqual(1);
    expect(wins + ties + losses).toBe(qrels.size);
  }
});

test('wins and losses are those of the single queries', () => {
  const { wins, losses } = quality.systems.find(({ name }) => name === 'model')!.against!['nDCG@10'];
  const signs = quality.queries.map(({ values }) =>
    Math.sign(values['nDCG@10'].model - values['nDCG@10'].bm25),
  );
  expect(signs.filter((sign) => sign > 0)).toHaveLength(wins);
  expect(signs.filter((sign) => sign < 0)).toHaveLength(losses);
  expect(wins + losses).toBeGreaterThan(0);
});

test('each case has both lists, what is judged in them, and its values follow from the ranks', async () => {
  const { split, step } = quality;
  expect(quality.queries.map(({ id }) => id).sort()).toEqual([...qrels.keys()].sort());
  for (const { id, text, values } of quality.queries) {
    const one = (await readQualityCase(run, { split, step, query: id }))!;
    expect(one).toMatchObject({ id, text });
    expect(one.relevant.map((document) => document.id)).toEqual([...qrels.get(id)!.keys()]);
    for (const system of ['bm25', 'model'] as const) {
      const list = one.lists[system];
      expect(list.map(({ rank }) => rank)).toEqual(list.map((_, i) => i + 1));
      for (const hit of list) expect(hit.grade).toBe(qrels.get(id)!.get(hit.id));
      const first = list.find(({ grade }) => grade === 1)?.rank;
      expect(values['RR@10'][system]).toBeCloseTo(first ? 1 / first : 0, 12);
      const rank = one.relevant[0].ranks[system] ?? Number.POSITIVE_INFINITY;
      expect(rank <= 10 ? rank : undefined).toBe(first);
      expect(list.every(({ excerpt }) => excerpt.length > 0)).toBe(true);
    }
    for (const { id: document, otherRank } of one.lists.bm25) {
      const there = one.lists.model.find((hit) => hit.id === document);
      if (there) expect(otherRank).toBe(there.rank);
    }
  }
});

test('is kept: measured once, and read afterwards', async () => {
  expect(progress.map(({ part }) => part)).toEqual(expect.arrayContaining(['bm25', 'model', 'start']));
  const again: StudyProgress[] = [];
  expect(await measureQuality({ run: run.path, onProgress: (one) => again.push(one) })).toEqual(quality);
  expect(again).toEqual([]);
  expect(await readQualityCase(run, { ...quality, query: 'nobody' })).toBeUndefined();
});

test('other splits can be measured; one that is not there is an error', async () => {
  const train = await measureQuality({ run: run.path, split: 'train', threads: 1 });
  expect(train.split).toBe('train');
  expect(train.queries.length).toBe(196 - qrels.size);
  await expect(measureQuality({ run: run.path, split: 'validation' })).rejects.toThrow('validation');
});

test('a query without hits and a judged document that does not exist do no harm', async () => {
  const path = join(folder, 'data', 'qrels', 'odd.tsv');
  await writeFile(path, 'query-id\tcorpus-id\tscore\nq0-0\tnowhere\t2\nq0-0\td0-0\t1\n');
  const odd = await measureQuality({ run: run.path, split: 'odd', threads: 1 });
  const one = (await readQualityCase(run, { ...odd, query: 'q0-0' }))!;
  expect(one.relevant.map(({ id, grade }) => [id, grade])).toEqual([
    ['nowhere', 2],
    ['d0-0', 1],
  ]);
  expect(one.relevant[0]).toMatchObject({ excerpt: '', ranks: {} });
});
