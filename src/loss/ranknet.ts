import { neg, softplus } from '../engine/index.js';
import type { Loss } from './loss.js';
import { pairwise } from './pairwise.js';

/** log(1 + e^(s⁻ − s⁺)). */
export const rankNet: Loss = {
  name: 'ranknet',
  negatives: 'own',
  build: (inputs) => pairwise(inputs, (difference) => softplus(neg(difference))),
};
