import { relu, sub } from '../engine/index.js';
import type { Loss } from './loss.js';
import { pairwise } from './pairwise.js';

/** max(0, margin − (s⁺ − s⁻)). */
export function hinge({ margin = 1 }: { margin?: number } = {}): Loss {
  return {
    name: 'hinge',
    negatives: 'own',
    build: (inputs) => pairwise(inputs, (difference) => relu(sub(margin, difference))),
  };
}
