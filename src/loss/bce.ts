import { add, div, mul, neg, reduceSum, softplus } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';

/** Binary cross-entropy: each pair is relevant or not by itself; averaged over all pairs. */
export const bce: Loss = {
  name: 'bce',
  negatives: 'own',
  build({ scores, positive, negative }) {
    // −log σ(s) = softplus(−s) for positives, −log(1 − σ(s)) = softplus(s) for negatives.
    const losses = add(mul(positive, softplus(neg(scores))), mul(negative, softplus(scores)));
    return div(reduceSum(losses), reduceSum(add(positive, negative)));
  },
};

export const bceKind = lossKind({
  name: 'bce',
  description: 'each pair of query and document is relevant or not by itself',
  options: {},
  create: () => bce,
});
