import { NearmissError } from '../../base/errors.js';
import { type CandidateRule, rankAt } from './rule.js';

/**
 * Drops the first ranks, where positives that nobody labelled are most frequent. Ranks are those of the original
 * ranking, known positives included.
 */
export function skipRanks(ranks: number): CandidateRule {
  if (!Number.isSafeInteger(ranks) || ranks < 0) {
    throw new NearmissError(`skip ranks: expected a whole number from 0, got ${ranks}`);
  }
  return {
    name: 'skip-ranks',
    parameters: { ranks },
    judge: (list) => (place) => rankAt(list, place) <= ranks,
  };
}
