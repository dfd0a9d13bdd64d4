import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { queryId } from '../../data/judged/query-id.js';
import { JudgmentStore } from './judgment-store.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-judgments-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
