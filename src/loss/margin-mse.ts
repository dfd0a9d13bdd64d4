import { add, div, mul, reduceSum, sign, sub, type Value } from '../engine/index.js';
import { type Loss, type LossInputs, lossKind } from './loss.js';

/**
 * Margin-MSE (Hofstätter et al. 2020): the student's margin between positive and negative is to be the teacher's,
 * mean over pairs of ((s⁺ − s⁻) − (t⁺ − t⁻))². Pairs of which the teacher knows only one document do not count.
 */
export const marginMse: Loss = {
  name: 'margin-mse',
  negatives: 'own',
  needs: ['teacher'],
  build(inputs) {
    const { errors, counted } = marginErrors(inputs);
    // Where nothing is known there is nothing to divide.
    return div(reduceSum(errors), add(reduceSum(counted), 1e-12));
  },
};

/**
 * TAS-B's loss over the batch (Hofstätter et al. 2021): the margins between a query's positive and everything else in the
 * batch, other queries' positives and negatives, are to be the teacher's. Squared errors are summed and divided by twice
 * the number of queries, so that its size grows with the batch: `weight` is to make up for that.
 */
export const marginMseInBatch: Loss = {
  name: 'margin-mse-in-batch',
  negatives: 'batch',
  needs: ['teacher'],
  build(inputs) {
    const { errors, counted } = marginErrors(inputs);
    const queries = reduceSum(sign(reduceSum(counted, { axes: [1] })));
    return div(reduceSum(errors), add(mul(queries, 2), 1e-12));
  },
};

/** [queries, documents]: squared errors of the margins that count, and 1 where they do. */
function marginErrors(inputs: LossInputs): { errors: Value; counted: Value } {
  const { student, taught, counted } = margins(inputs);
  const error = sub(student, taught);
  return { errors: mul(counted, mul(error, error)), counted };
}

/** [queries, documents]: how far the positive leads by the student and by the teacher, and 1 where both are known. */
export function margins({ scores, positive, negative, teacher }: LossInputs): {
  student: Value;
  taught: Value;
  counted: Value;
} {
  const { scores: given, known } = teacher!;
  const atPositive = (of: Value) => reduceSum(mul(of, positive), { axes: [1], keepDims: true });
  return {
    student: sub(atPositive(scores), scores),
    taught: sub(atPositive(given), given),
    counted: mul(mul(negative, known), atPositive(known)),
  };
}

export const marginMseKind = lossKind({
  name: 'margin-mse',
  description: "the margin between positive and negative is to be the teacher's (needs a teacher)",
  options: {},
  create: () => marginMse,
});

export const marginMseInBatchKind = lossKind({
  name: 'margin-mse-in-batch',
  description:
    "the margins between the positive and every other document of the batch are to be the teacher's, summed over documents and halved (TAS-B; needs a teacher)",
  options: {},
  create: () => marginMseInBatch,
});
