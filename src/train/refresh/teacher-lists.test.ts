import { expect, test } from 'vitest';
import { agreementWith } from './teacher-lists.js';

const ranking = (ids: string[]) => ({ ids, scores: Float64Array.from(ids, (_, i) => -i) });
const teacher = {
  tag: 't',
  rankings: new Map([
    ['q', ranking(['a', 'b', 'c', 'd'])],
    ['r', ranking(['a', 'b'])],
  ]),
};

test("agreement is the mean of Kendall's τ; what the student did not find comes last", () => {
  const student = new Map([
    ['q', ranking(['x', 'a', 'b', 'y'])],
    ['r', ranking(['b', 'a'])],
  ]);
  // Of q's six pairs five are told apart, all alike: 5 / √(6 · 5); r is the other way round.
  expect(agreementWith(teacher, student)).toBeCloseTo((5 / Math.sqrt(30) - 1) / 2, 12);
  expect(agreementWith(teacher, new Map())).toBeUndefined();
});
