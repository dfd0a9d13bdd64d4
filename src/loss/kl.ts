import { oneOf, positive as positiveNumber } from '../base/settings.js';
import {
  add,
  div,
  equal,
  exp,
  logSoftmax,
  mul,
  reduceSum,
  relu,
  sign,
  sub,
  type Value,
  where,
} from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';

const EXCLUDED = -1e9;

export interface KlOptions {
  /** Whose distribution weighs the differences. */
  direction?: 'teacher-first' | 'student-first';
  /** The teacher's scores are divided by this before the softmax. */
  teacherTemperature?: number;
}

/**
 * The student's distribution over a query's documents is to be the teacher's: softmax over the positive and the
 * negatives of which the teacher knows the scores, mean over the queries that have two of them.
 *
 * Everybody writes "KL". Teacher first is Σ t (log t − log s), which PyTorch's KLDivLoss computes and ColBERTv2 and
 * RocketQA v2's code train with: whatever the teacher finds likely must be likely. Student first, Σ s (log s − log t),
 * is what the paper of RocketQA v2 writes: what the teacher finds unlikely must be unlikely.
 */
export function kl({ direction = 'teacher-first', teacherTemperature = 1 }: KlOptions = {}): Loss {
  return {
    name: 'kl',
    negatives: 'own',
    needs: ['teacher'],
    build({ scores, positive, negative, teacher }) {
      const { scores: taught, known } = teacher!;
      const listed = mul(add(positive, negative), known);
      const student = logProbabilities(scores, listed);
      const master = logProbabilities(div(taught, teacherTemperature), listed);
      const [first, second] = direction === 'teacher-first' ? [master, student] : [student, master];
      const divergence = reduceSum(mul(exp(first), sub(first, second)), { axes: [1] });
      const counted = sign(relu(sub(reduceSum(listed, { axes: [1] }), 1)));
      // Where nothing is known there is nothing to divide.
      return div(reduceSum(mul(counted, divergence)), add(reduceSum(counted), 1e-12));
    },
  };
}

function logProbabilities(scores: Value, listed: Value): Value {
  return logSoftmax(where(equal(listed, 0), EXCLUDED, scores));
}

export const klKind = lossKind({
  name: 'kl',
  description: "the distribution over a query's documents is to be the teacher's (needs a teacher)",
  options: {
    direction: oneOf('teacher-first', 'student-first')
      .default('teacher-first')
      .describe(
        'KL(teacher ‖ student), as ColBERTv2 and most libraries have it, or KL(student ‖ teacher), as the paper of RocketQA v2 has it',
      ),
    teacherTemperature: positiveNumber()
      .default(1)
      .describe("the teacher's scores are divided by this; `temperature` divides the student's"),
  },
  create: kl,
});
