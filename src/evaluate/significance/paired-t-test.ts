import { incompleteBeta } from './incomplete-beta.js';

export interface TTest {
  t: number;
  degreesOfFreedom: number;
  /** Two-sided. 1 where the two do not differ at all. */
  p: number;
}

/**
 * Student's paired t-test of whether two systems differ in their mean, from their values on the same queries.
 *
 * @example
 * pairedTTest(ance.perQuery['nDCG@10'], bm25.perQuery['nDCG@10']).p;
 */
export function pairedTTest(a: Float64Array, b: Float64Array): TTest {
  const n = a.length;
  const differences = a.map((value, i) => value - b[i]);
  const mean = differences.reduce((sum, value) => sum + value, 0) / n;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const degreesOfFreedom = n - 1;
  if (n < 2 || mean === 0) return { t: 0, degreesOfFreedom, p: 1 };
  const t = mean / Math.sqrt(variance / n);
  return { t, degreesOfFreedom, p: studentTwoSided(t, degreesOfFreedom) };
}

/** The probability that |T| ≥ |t| under Student's distribution: I_{ν/(ν+t²)}(ν/2, 1/2). */
export function studentTwoSided(t: number, degreesOfFreedom: number): number {
  if (!Number.isFinite(t)) return 0;
  return incompleteBeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 0.5);
}
