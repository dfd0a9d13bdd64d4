import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TopK } from './top-k.js';

const entries = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 200 });

test('keeps what a full sort would keep, ties by smaller id, whatever the order of the pushes', () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: 1, max: 20 }), fc.infiniteStream(fc.nat()), (scores, k, noise) => {
      const all = scores.map((score, id) => ({ id, score }));
      const expected = [...all].sort((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
      const keys = all.map(() => noise.next().value as number);
      const pushed = [...all].sort((a, b) => keys[a.id] - keys[b.id]);
      const best = new TopK(k);
      for (const { id, score } of pushed) best.push(id, score);
      const { ids, scores: kept } = best.ranked();
      expect([...ids]).toEqual(expected.map((entry) => entry.id));
      expect([...kept]).toEqual(expected.map((entry) => entry.score));
    }),
  );
});

test('the threshold is the k-th score once k are kept, and ranked() empties the heap', () => {
  const best = new TopK(2);
  expect(best.threshold).toBe(Number.NEGATIVE_INFINITY);
  best.push(0, 3);
  best.push(1, 5);
  expect(best.threshold).toBe(3);
  expect(best.push(2, 3)).toBe(false);
  expect(best.push(3, 4)).toBe(true);
  expect(best.threshold).toBe(4);
  expect([...best.ranked().ids]).toEqual([1, 3]);
  expect(best.size).toBe(0);
});

test('names a wrong k', () => {
  expect(() => new TopK(0)).toThrow('expected k to be an integer from 1 up, got 0');
});
