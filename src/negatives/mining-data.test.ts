import { expect, test } from 'vitest';
import { memoryDataset } from '../data/data.fixture.js';
import { loadMiningData } from './mining-data.js';

const dataset = memoryDataset({
  documents: [
    { id: 'd0', title: 'Apple', text: 'red' },
    { id: 'd1', text: 'Äpfel 🍎 und 苹果' },
    { id: 'd2', text: '' },
    { id: 'd3', text: 'apple: RED' },
  ],
  queries: [
    { id: 'a', text: 'first', metadata: { answers: ['x'] } },
    { id: 'b', text: 'second', metadata: { answers: 'x' } },
    { id: 'c', text: 'third' },
  ],
  qrels: {
    train: { c: { d3: 1, d0: 2, d1: 0 }, b: { d1: 0 }, a: { d2: 1 } },
    broken: { a: { nowhere: 1 } },
    empty: { a: { d0: 0 } },
  },
});

test('numbers queries in the order of the judgments, leaving out those without positives', async () => {
  const data = await loadMiningData(dataset, { split: 'train' });
  expect(data.queries.map(({ id }) => id)).toEqual(['c', 'a']);
  expect([0, 1].map((query) => [...data.positives.of(query)])).toEqual([[0, 3], [2]]);
  expect(data.fingerprintOf(0)).toBe(data.fingerprintOf(3));
  expect(data.fingerprintOf(0)).not.toBe(data.fingerprintOf(1));
  expect(data.texts).toBeUndefined();
  await data.close();
});

test('keeps texts on disk, in any order', async () => {
  const data = await loadMiningData(dataset, { split: 'train', texts: true });
  const { texts } = data;
  expect(texts?.size).toBe(4);
  expect([3, 1, 0, 2, 1].map((number) => texts?.get(number))).toEqual([
    'apple: RED',
    'Äpfel 🍎 und 苹果',
    'Apple red',
    '',
    'Äpfel 🍎 und 苹果',
  ]);
  await data.close();
  expect(() => texts?.get(0)).toThrow();
});

test('the fingerprint stands for the numbers of documents and queries', async () => {
  const fingerprint = async (split: string): Promise<string> =>
    (await loadMiningData(dataset, { split })).dataFingerprint;
  expect(await fingerprint('train')).toBe(await fingerprint('train'));
  const other = memoryDataset({
    documents: [{ id: 'd0', text: '' }],
    queries: [{ id: 'a', text: '' }],
    qrels: { train: { a: { d0: 1 } } },
  });
  expect((await loadMiningData(other, { split: 'train' })).dataFingerprint).not.toBe(
    await fingerprint('train'),
  );
});

test('judgments that point nowhere, and splits without any', async () => {
  await expect(loadMiningData(dataset, { split: 'broken' })).rejects.toThrow(
    'judgments of query "a": the collection has no document "nowhere"',
  );
  await expect(loadMiningData(dataset, { split: 'empty' })).rejects.toThrow(
    'memory: no query of split "empty" has a relevant document',
  );
});
