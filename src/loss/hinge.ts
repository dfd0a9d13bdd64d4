import { positive } from '../base/settings.js';
import { relu, sub } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';
import { pairwise } from './pairwise.js';

/** max(0, margin − (s⁺ − s⁻)). */
export function hinge({ margin = 1 }: { margin?: number } = {}): Loss {
  return {
    name: 'hinge',
    negatives: 'own',
    build: (inputs) => pairwise(inputs, (difference) => relu(sub(margin, difference))),
  };
}

export const hingeKind = lossKind({
  name: 'hinge',
  description: 'max(0, margin − (s⁺ − s⁻)) over the pairs of positive and negative',
  options: {
    margin: positive().default(1).describe('how far a positive must lead, in scores after the temperature'),
  },
  create: hinge,
});
