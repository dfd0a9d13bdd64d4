import { mul, reduceSum, sub, type Value } from '../engine/index.js';

/**
 * Σ weight · (predicted − target)²: the mean over what counts, where weights are one part each of its number and 0 elsewhere
 * (DeepCT).
 */
export function weightedMse(predicted: Value, target: Value, weight: Value): Value {
  const difference = sub(predicted, target);
  return reduceSum(mul(weight, mul(difference, difference)));
}
