import { add, div, mul, reduceSum, sub } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';

/**
 * Margin-MSE (Hofstätter et al. 2020): the student's margin between positive and negative is to be the teacher's,
 * mean over pairs of ((s⁺ − s⁻) − (t⁺ − t⁻))². Pairs of which the teacher knows only one document do not count.
 */
export const marginMse: Loss = {
  name: 'margin-mse',
  negatives: 'own',
  needs: ['teacher'],
  build({ scores, positive, negative, teacher }) {
    const { scores: taught, known } = teacher!;
    const atPositive = (of: typeof scores) => reduceSum(mul(of, positive), { axes: [1], keepDims: true });
    const counted = mul(mul(negative, known), atPositive(known));
    const error = sub(sub(atPositive(scores), scores), sub(atPositive(taught), taught));
    // Where nothing is known there is nothing to divide.
    return div(reduceSum(mul(counted, mul(error, error))), add(reduceSum(counted), 1e-12));
  },
};

export const marginMseKind = lossKind({
  name: 'margin-mse',
  description: "the margin between positive and negative is to be the teacher's (needs a teacher)",
  options: {},
  create: () => marginMse,
});
