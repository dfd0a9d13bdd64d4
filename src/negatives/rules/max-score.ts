import { NearmissError } from '../../base/errors.js';
import type { CandidateRule } from './rule.js';

/**
 * Drops candidates that score above `limit`: of a teacher's scores, what it holds for relevant (RocketQA's denoised
 * negatives, Qu et al. 2021). A candidate without a score is not known to be below, and is dropped.
 */
export function maxScore(limit: number): CandidateRule {
  if (!Number.isFinite(limit)) throw new NearmissError(`max score: expected a finite number, got ${limit}`);
  return {
    name: 'max-score',
    parameters: { limit },
    judge: (list) => (place) => !(list.scores[place] <= limit),
  };
}
