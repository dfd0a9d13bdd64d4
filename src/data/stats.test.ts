import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryDataset } from './data.fixture.js';
import { countWords } from './derive/words.js';
import { Distribution } from './distribution.js';
import { datasetStats } from './stats.js';

test('counts words, and each Han or kana character for itself', () => {
  expect(countWords('')).toBe(0);
  expect(countWords('  three plain\twords\n')).toBe(3);
  expect(countWords('战国无双3 is ゲーム')).toBe(4 + 1 + 1 + 3);
  expect(countWords('한국어 단어')).toBe(2);
});

test('figures of a distribution are exact, its bars cover every value', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5000), { minLength: 1, maxLength: 300 }), (values) => {
      const distribution = new Distribution();
      for (const value of values) distribution.add(value);
      const sorted = values.toSorted((a, b) => a - b);
      const summary = distribution.summary();
      expect(summary).toMatchObject({
        count: values.length,
        min: sorted[0],
        max: sorted.at(-1),
        median: sorted[Math.ceil(0.5 * values.length) - 1],
        p90: sorted[Math.ceil(0.9 * values.length) - 1],
      });
      expect(summary.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length);
      for (const { from, to, count } of summary.bars) {
        expect(count).toBe(values.filter((value) => value >= from && value < to).length);
      }
      expect(summary.bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
    }),
    { numRuns: 100, seed: 1 },
  );
});

test('tells counts, judgments and what splits share', async () => {
  const stats = await datasetStats(
    memoryDataset({
      documents: [
        { id: 'd1', title: 'a title', text: 'three more words' },
        { id: 'd2', text: 'one' },
      ],
      queries: [
        { id: 'q1', text: 'a b' },
        { id: 'q2', text: 'c d e f' },
      ],
      qrels: { train: { q1: { d1: 2, d2: 0 } }, test: { q1: { d1: 1 }, q2: { d1: 1, d2: 1 } } },
      examples: { train: [{ queryId: 'q1', positives: [{ id: 'd1' }], negatives: [{ id: 'd2' }] }] },
    }),
  );
  expect(stats.documents).toMatchObject({ count: 2, withTitle: 1, words: { mean: 3, max: 5 } });
  expect(stats.queries).toMatchObject({ count: 2, words: { mean: 3 } });
  expect(stats.splits).toMatchObject([
    { split: 'train', queries: 1, judgments: 2, grades: { 0: 1, 2: 1 }, examples: { count: 1 } },
    { split: 'test', queries: 2, judgments: 3, grades: { 1: 3 }, positivesPerQuery: { mean: 1.5 } },
  ]);
  expect(stats.splits[1].examples).toBeUndefined();
  expect(stats.overlaps).toEqual([{ splits: ['train', 'test'], queries: 1, positives: 1 }]);
});
