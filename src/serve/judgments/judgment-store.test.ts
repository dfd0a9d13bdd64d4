import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { queryId } from '../../data/judged/query-id.js';
import { JudgmentStore } from './judgment-store.js';

let folder: string;
beforeEach(async () => {
  // Beside it the store looks for what other servers have written.
  folder = join(await mkdtemp(join(tmpdir(), 'nearmiss-judgments-')), 'here');
});
afterEach(() => rm(dirname(folder), { recursive: true, force: true }));

const shown = (store: JudgmentStore) =>
  [...store.all()].map(({ query, document, grade }) => [query, document, grade]);

test('what many say at once is all kept, also where nobody closes the store', async () => {
  const store = await JudgmentStore.open(folder);
  const said = Array.from({ length: 200 }, (_, n) => ({
    query: `q${n % 20}`,
    document: `d${n}`,
    grade: n % 2,
  }));
  await Promise.all(said.map((one, n) => store.judge([one], n % 2 ? 'ann' : 'ben')));
  expect(store.counts).toEqual({ total: 200, queries: 20 });
  // As after a kill: the first store is never closed.
  const again = await JudgmentStore.open(folder);
  expect(shown(again).sort()).toEqual(
    said.map(({ query, document, grade }) => [query, document, grade]).sort(),
  );
  expect(again.of('q1')[0]).toMatchObject({ by: 'ann', at: expect.stringMatching(/^\d{4}-/) });
  await again.close();
  await store.close();
});

test('a collection that is only searched is left as it was; one that cannot be written to can be later', async () => {
  const store = await JudgmentStore.open(folder);
  expect(store.counts).toEqual({ total: 0, queries: 0 });
  expect(store.of('q')).toEqual([]);
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
  await writeFile(folder, 'in the way');
  await expect(store.judge([{ query: 'q', document: 'd', grade: 1 }])).rejects.toThrow('here');
  await rm(folder);
  expect(await store.judge([{ query: 'q', document: 'd', grade: 1 }])).toEqual({ total: 1, queries: 1 });
  await store.close();
});

test('the later of two counts, and one can be taken back', async () => {
  const store = await JudgmentStore.open(folder);
  await store.judge([{ query: ' what  is it', document: 'a', grade: 1 }]);
  await store.judge([{ query: 'what is it', document: 'a', grade: 0 }]);
  expect(shown(store)).toEqual([['what is it', 'a', 0]]);
  expect([...store.queries()]).toEqual([{ id: queryId('what is  it '), text: 'what is it' }]);
  expect(await store.judge([{ query: 'what is it', document: 'a', grade: null }])).toEqual({
    total: 0,
    queries: 0,
  });
  await store.close();
  const again = await JudgmentStore.open(folder);
  expect(again.counts.total).toBe(0);
  await again.close();
});

test('there is room for so many and no more', async () => {
  const store = await JudgmentStore.open(folder, { most: 2 });
  const one = (n: number) => store.judge([{ query: 'q', document: `d${n}`, grade: 1 }]);
  const outcomes = await Promise.allSettled([one(1), one(2), one(3)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(store.counts.total).toBe(2);
  await store.close();
});

test('long queries and documents take room, too', async () => {
  const store = await JudgmentStore.open(folder, { mostCharacters: 10_000 });
  const one = (n: number) => store.judge([{ query: `${n}${'x'.repeat(3000)}`, document: 'd', grade: 1 }]);
  const outcomes = await Promise.allSettled([one(1), one(2), one(3), one(4)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  expect(store.counts.total).toBe(3);
  await store.close();
});

test('a log of long queries is not written anew at each judgment', async () => {
  const store = await JudgmentStore.open(folder);
  const judgments = Array.from({ length: 500 }, (_, n) => ({
    query: `${n} ${'x'.repeat(3900)}`,
    document: 'd',
    grade: 1,
  }));
  for (let first = 0; first < judgments.length; first += 50)
    await store.judge(judgments.slice(first, first + 50));
  await store.close();
  const files = await readdir(folder, { recursive: true });
  // What is written anew is a snapshot.
  expect(files.filter((name) => name.includes('snapshot'))).toEqual([]);
});

test('the newest of many, the last judged first', async () => {
  const store = await JudgmentStore.open(folder);
  for (let n = 0; n < 30; n++) {
    await store.judge([{ query: `q${n}`, document: 'd', grade: 1 }]);
    await sleep(2);
  }
  await store.judge([{ query: 'q3', document: 'd', grade: 0 }]);
  await store.judge([{ query: 'q29', document: 'd', grade: null }]);
  expect(store.newest(4).map(({ query }) => query)).toEqual(['q3', 'q28', 'q27', 'q26']);
  await store.close();
});

test('taking back what nobody said is not kept; much about one query is read quickly', async () => {
  const store = await JudgmentStore.open(folder);
  const many = Array.from({ length: 20_000 }, (_, n) => `d${n}`);
  await store.judge(many.map((document) => ({ query: 'q', document, grade: null })));
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
  await store.judge(many.map((document) => ({ query: 'q', document, grade: 1 })));
  await store.close();
  const start = performance.now();
  const again = await JudgmentStore.open(folder);
  // Looking at all of them for each took minutes.
  expect(performance.now() - start).toBeLessThan(15_000);
  expect(again.counts).toEqual({ total: 20_000, queries: 1 });
  await again.close();
});
