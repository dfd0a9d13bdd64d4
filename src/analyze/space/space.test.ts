import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataset } from '../../data/index.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import { modelFolder } from '../../run/model-folder.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { shareWords, startTinyRun, trainTinyRun, writeTinyData } from '../tiny-run.fixture.js';
import { drawSpace } from './space.js';
import type { SpacePicture } from './space-picture.js';

let folder: string;
let run: RunDirectory;
let picture: SpacePicture;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-space-'));
  await writeTinyData(folder);
  await shareWords(folder);
  run = await trainTinyRun(folder, 'run');
  [picture] = await drawSpace({ run: run.path, threads: 1 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Scores of the whole collection for a query, by encoding it here and now. */
async function scoresByBruteForce(step: number, query: string): Promise<Map<string, number>> {
  const dataset = await openDataset(join(folder, 'data'));
  const encoder = await Encoder.create(await loadSide(await modelFolder(run, step), 'queries'), {
    session: { threads: 1 },
  });
  const documents: { id: string; text: string }[] = [];
  for await (const document of dataset.documents()) documents.push(document);
  const [{ vectors: vector }, { vectors }] = [
    await encoder.encode([query], { use: 'query' }),
    await encoder.encode(
      documents.map(({ text }) => text),
      { use: 'document' },
    ),
  ];
  await encoder.release();
  return new Map(
    documents.map(({ id }, i) => [
      id,
      vector.reduce((sum, value, k) => sum + value * vectors[i * vector.length + k], 0),
    ]),
  );
}

test('a query of the dev split is drawn, the same one each time', async () => {
  const dev = await (await openDataset(join(folder, 'data'))).qrels('dev');
  expect(dev.has(picture.query.id)).toBe(true);
  expect(picture.query.splits).toEqual(['dev']);
  await rm(run.file('cache', 'space'), { recursive: true });
  expect((await drawSpace({ run: run.path, threads: 1 }))[0]).toEqual(picture);
});

test('shows the query, its positives, and negatives of every kind, each document once', async () => {
  const kinds = new Map<string, number>();
  for (const { kind } of picture.points) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  expect(picture.points[0]).toMatchObject({
    kind: 'query',
    id: picture.query.id,
    excerpt: picture.query.text,
  });
  expect(kinds.get('query')).toBe(1);
  expect(kinds.get('positive')).toBe(1);
  // An eighth of 196 documents.
  expect(kinds.get('ann')).toBe(25);
  expect(kinds.get('random')).toBeGreaterThan(10);
  const documents = picture.points.slice(1).map(({ id }) => id);
  expect(new Set(documents).size).toBe(documents.length);
  const judged = (await (await openDataset(join(folder, 'data'))).qrels('dev')).get(picture.query.id)!;
  expect(picture.points.filter(({ kind }) => kind === 'positive').map(({ id }) => id)).toEqual([
    ...judged.keys(),
  ]);
});

test('scores and ranks are those of the whole collection, before and after training', async () => {
  expect(picture.maps.map(({ step }) => step)).toEqual([0, picture.step]);
  for (const { step, scores, x, y } of picture.maps) {
    const truth = await scoresByBruteForce(step, picture.query.text);
    expect([x.length, y.length, scores.length]).toEqual(Array(3).fill(picture.points.length));
    picture.points.slice(1).forEach(({ id }, i) => {
      expect(scores[i + 1]).toBeCloseTo(truth.get(id)!, 4);
    });
  }
  const ranked = [...(await scoresByBruteForce(picture.step, picture.query.text))].sort(
    (a, b) => b[1] - a[1],
  );
  for (const { id, ranks } of picture.points.filter((point) => point.ranks.ann)) {
    expect(ranked.findIndex(([other]) => other === id) + 1).toBe(ranks.ann);
  }
});

test('training brings the positive nearer', () => {
  const positive = picture.points.findIndex(({ kind }) => kind === 'positive');
  const rank = ({ scores }: SpacePicture['maps'][number]): number =>
    scores.filter((score) => score !== null && score > scores[positive]!).length;
  const [before, after] = picture.maps.map(rank);
  expect(after).toBeLessThan(before);
});

test('training queries can be drawn too, by UMAP, and pictures are kept', async () => {
  const train = await (await openDataset(join(folder, 'data'))).qrels('train');
  const queries = [...train.keys()].slice(0, 2);
  const drawn = await drawSpace({ run: run.path, queries, method: 'umap', threads: 1 });
  expect(drawn.map(({ query, method }) => [query.id, query.splits, method])).toEqual(
    queries.map((id) => [id, ['train'], 'umap']),
  );
  expect(drawn[0].maps[1].x.every(Number.isFinite)).toBe(true);
  const kept = await readdir(run.file('cache', 'space', `step-${picture.step}`));
  expect(kept.filter((name) => name.endsWith('-umap.json'))).toHaveLength(2);
});

test('says what is wrong with a query, a step and a run without an index', async () => {
  await expect(drawSpace({ run: run.path, queries: ['nobody'], threads: 1 })).rejects.toThrow(
    'data: no query "nobody"',
  );
  await expect(drawSpace({ run: run.path, step: 7 })).rejects.toThrow('no index of step 7');
  const begun = await startTinyRun(folder, 'begun');
  await expect(drawSpace({ run: begun.path })).rejects.toThrow('no index of any checkpoint yet');
});
