import { type Loss, lossKind } from './loss.js';
import { softmaxLoss } from './softmax.js';

/**
 * Negative log likelihood of the positive against the query's own negatives: pairwise with one negative (the
 * ANCE paper's loss), n-way with several.
 */
export const nll: Loss = { name: 'nll', negatives: 'own', build: softmaxLoss };

export const nllKind = lossKind({
  name: 'nll',
  description: "the positive against the query's own negatives, by a softmax",
  options: {},
  create: () => nll,
});
