import { NearmissError } from '../../base/errors.js';
import { bestPositiveScore } from './positive-score.js';
import type { CandidateRule } from './rule.js';

/**
 * Drops candidates that score above the best known positive's score minus `margin`: what the ranker likes as much as
 * a positive is likely one. Where no positive was ranked, all candidates score above it, and all are dropped.
 */
export function margin(margin: number): CandidateRule {
  if (!(margin >= 0 && Number.isFinite(margin))) {
    throw new NearmissError(`margin: expected a number from 0, got ${margin}`);
  }
  return {
    name: 'margin',
    parameters: { margin },
    judge: (list, positives) => {
      const limit = bestPositiveScore(list, positives, 'margin') - margin;
      return (place) => list.scores[place] > limit;
    },
  };
}
