import { NearmissError } from '../../base/errors.js';
import { bestPositiveScore } from './positive-score.js';
import type { CandidateRule } from './rule.js';

/**
 * Drops candidates that score above `share` of the best known positive's score (TopK-PercPos in NV-Retriever, Moreira
 * et al. 2024, with .95). Of a negative score the limit is as far below it. Where no positive was ranked, all
 * candidates score above it, and all are dropped.
 */
export function relativeMargin(share: number): CandidateRule {
  if (!(share > 0 && share <= 1)) {
    throw new NearmissError(`relative margin: expected a share above 0 and at most 1, got ${share}`);
  }
  return {
    name: 'relative-margin',
    parameters: { share },
    judge: (list, positives) => {
      const best = bestPositiveScore(list, positives, 'relative margin');
      const limit = Number.isFinite(best) ? best - (1 - share) * Math.abs(best) : best;
      return (place) => list.scores[place] > limit;
    },
  };
}
