import { add, div, mul, reduceSum, sub, type Value } from '../engine/index.js';
import type { LossInputs } from './loss.js';

/** Averages `lossOf(s⁺ − s⁻)` over all pairs of a positive and one of its query's negatives. */
export function pairwise(
  { scores, positive, negative }: LossInputs,
  lossOf: (difference: Value) => Value,
): Value {
  const best = reduceSum(mul(scores, positive), { axes: [1], keepDims: true });
  // Of other queries' positives a batch may have none: then there is nothing to divide.
  return div(reduceSum(mul(negative, lossOf(sub(best, scores)))), add(reduceSum(negative), 1e-12));
}
