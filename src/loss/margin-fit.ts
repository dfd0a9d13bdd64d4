import { add, div, mul, reduceSum, relu, sub } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';
import { margins } from './margin-mse.js';

/**
 * Margin-MSE up to a factor: the student's margins, times what makes those of the batch fit the teacher's best, are to be the
 * teacher's, mean of (a·(s⁺ − s⁻) − (t⁺ − t⁻))² with a = Σ m_s m_t / Σ m_s². A student whose scores are cosines cannot follow a
 * teacher of any other range, and would move all its vectors together or apart before it learns which margins are the large ones.
 */
export const marginFit: Loss = {
  name: 'margin-fit',
  negatives: 'own',
  needs: ['teacher'],
  build(inputs) {
    const { student, taught, counted } = margins(inputs);
    const own = mul(counted, student);
    // Margins that go against the teacher's fit best with a factor below 0, which would teach them to stay so.
    const factor = div(relu(reduceSum(mul(own, taught))), add(reduceSum(mul(own, student)), 1e-6));
    const error = sub(mul(student, factor), taught);
    // Where nothing is known there is nothing to divide.
    return div(reduceSum(mul(counted, mul(error, error))), add(reduceSum(counted), 1e-12));
  },
};

export const marginFitKind = lossKind({
  name: 'margin-fit',
  description:
    "the margin between positive and negative is to be the teacher's, up to a factor that all of a batch share (needs a teacher)",
  options: {},
  create: () => marginFit,
});
