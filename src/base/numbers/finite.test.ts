import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNotFinite } from './finite.js';

test('finds the first number that is none, wherever it is', () => {
  const values = fc.float32Array({ noNaN: true, noDefaultInfinity: true, minLength: 1, maxLength: 20 });
  const wrong = fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
  fc.assert(
    fc.property(values, fc.nat(), fc.nat(), wrong, wrong, (all, one, other, first, second) => {
      expect(findNotFinite(all)).toBe(-1);
      const [i, j] = [one % all.length, other % all.length];
      all[i] = first;
      all[j] = second;
      expect(findNotFinite(all)).toBe(Math.min(i, j));
    }),
  );
});

test('the largest numbers do not add up to infinity', () => {
  expect(findNotFinite(new Float32Array(1_000_003).fill(3.4028234663852886e38))).toBe(-1);
  expect(findNotFinite(new Float32Array(0))).toBe(-1);
});
