import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bits, Random, randomKey } from './random.js';

test('the first numbers of a stream never change, or no old run could be repeated', () => {
  const random = Random.from(42, 'dropout', 7);
  expect([random.bits(), random.bits(), random.bits()]).toEqual([1114695499, 916445028, 3082813574]);
  expect(Random.from(42, 'x').uniform()).toBe(0.22537365138147536);
  expect(Random.from(42, 'x').normal()).toBe(-0.5952776036514067);
  expect([...Random.from(1).shuffle([0, 1, 2, 3, 4, 5, 6, 7])]).toEqual([2, 3, 0, 6, 4, 5, 1, 7]);
});

test('a number depends on its place alone, not on what was drawn before', () => {
  const key = randomKey(3, 'anything');
  const sequence = new Random(key);
  expect(Array.from({ length: 20 }, () => sequence.bits())).toEqual(
    Array.from({ length: 20 }, (_, n) => bits(key, n)),
  );
});

/** χ² of counts against equal odds, in standard deviations from what chance gives. */
function deviations(counts: number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const expected = total / counts.length;
  const statistic = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  const freedom = counts.length - 1;
  return (statistic - freedom) / Math.sqrt(2 * freedom);
}

function histogram(bins: number, draws: number, draw: () => number): number[] {
  const counts = new Array(bins).fill(0);
  for (let i = 0; i < draws; i++) counts[draw()]++;
  return counts;
}

describe('uniformity', () => {
  test.each([1, 2, 12345, 2 ** 40 + 1])('seed %i: integers, both ends of the bits', (seed) => {
    const random = Random.from(seed, 'uniformity');
    expect(Math.abs(deviations(histogram(100, 100_000, () => random.integer(100))))).toBeLessThan(5);
    expect(Math.abs(deviations(histogram(256, 100_000, () => random.bits() & 255)))).toBeLessThan(5);
    expect(Math.abs(deviations(histogram(256, 100_000, () => random.bits() >>> 24)))).toBeLessThan(5);
  });

  test('normal numbers have mean 0, deviation 1 and the right tails', () => {
    const random = Random.from(5, 'normal');
    const values = Array.from({ length: 100_000 }, () => random.normal());
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.015);
    expect(Math.abs(variance - 1)).toBeLessThan(0.025);
    const beyondTwo = values.filter((value) => Math.abs(value) > 2).length / values.length;
    expect(Math.abs(beyondTwo - 0.0455)).toBeLessThan(0.004);
  });
});

describe('streams', () => {
  test.each([
    ['neighbouring seeds', randomKey(1, 'a'), randomKey(2, 'a')],
    ['neighbouring steps', randomKey(1, 'a', 10), randomKey(1, 'a', 11)],
    ['swapped parts', randomKey(1, 'a', 2, 3), randomKey(1, 'a', 3, 2)],
    ['seeds 2³² apart', randomKey(1), randomKey(1 + 2 ** 32)],
  ])('%s are independent', (_, a, b) => {
    const pairs = histogram(
      256,
      100_000,
      (() => {
        let n = 0;
        return () => ((bits(a, n) & 15) << 4) | (bits(b, n++) & 15);
      })(),
    );
    expect(Math.abs(deviations(pairs))).toBeLessThan(5);
  });

  test('different parts give different keys', () => {
    const keys = new Set<string>();
    for (let seed = 0; seed < 100; seed++) {
      for (let step = 0; step < 100; step++) keys.add(JSON.stringify(randomKey(seed, 'step', step)));
    }
    expect(keys.size).toBe(10_000);
    expect(randomKey(1, 'ab', 'c')).not.toEqual(randomKey(1, 'a', 'bc'));
  });
});

test('a shuffle is a permutation, and every place is as likely', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
      const shuffled = Random.from(seed).shuffle([...items]);
      expect(shuffled.toSorted((a, b) => a - b)).toEqual(items.toSorted((a, b) => a - b));
    }),
  );
  let seed = 0;
  const places = histogram(
    8,
    20_000,
    () => Random.from(seed++, 'shuffle').shuffle([0, 1, 2, 3, 4, 5, 6, 7])[0],
  );
  expect(Math.abs(deviations(places))).toBeLessThan(5);
});
