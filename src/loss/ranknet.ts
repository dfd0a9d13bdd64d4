import { neg, softplus } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';
import { pairwise } from './pairwise.js';

/** log(1 + e^(s⁻ − s⁺)). */
export const rankNet: Loss = {
  name: 'ranknet',
  negatives: 'own',
  build: (inputs) => pairwise(inputs, (difference) => softplus(neg(difference))),
};

export const rankNetKind = lossKind({
  name: 'ranknet',
  description: 'log(1 + exp(s⁻ − s⁺)) over the pairs of positive and negative',
  options: {},
  create: () => rankNet,
});
