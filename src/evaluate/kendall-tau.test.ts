import fc from 'fast-check';
import { expect, test } from 'vitest';
import { kendallTau } from './kendall-tau.js';

test.each([
  [[1, 2, 3, 4], [10, 20, 30, 40], 1],
  [[1, 2, 3, 4], [4, 3, 2, 1], -1],
  // scipy.stats.kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
  [[12, 2, 1, 12, 2], [1, 4, 7, 1, 0], -0.47140452079103173],
])('%j and %j agree by %f', (a, b, tau) => {
  expect(kendallTau(a, b)).toBeCloseTo(tau, 12);
});

test('turned around it is the opposite, and what ties everything agrees with nothing', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { minLength: 2, maxLength: 12 }), (values) => {
      const other = values.map((_, i) => i);
      const opposite = values.map((value) => -value);
      expect(kendallTau(opposite, other)).toBeCloseTo(-kendallTau(values, other), 12);
      expect(
        kendallTau(
          values,
          other.map(() => 1),
        ),
      ).toBeNaN();
    }),
  );
});
