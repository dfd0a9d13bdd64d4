import {
  add,
  equal,
  logSoftmax,
  mul,
  neg,
  reduceMean,
  reduceSum,
  type Value,
  where,
} from '../engine/index.js';
import type { LossInputs } from './loss.js';

const EXCLUDED = -1e9;

/** −log( eˢ⁺ / (eˢ⁺ + Σ eˢ⁻) ), averaged over queries. */
export function softmaxLoss({ scores, positive, negative }: LossInputs): Value {
  const excluded = equal(add(positive, negative), 0);
  const logProbabilities = logSoftmax(where(excluded, EXCLUDED, scores));
  return neg(reduceMean(reduceSum(mul(positive, logProbabilities), { axes: [1] })));
}
