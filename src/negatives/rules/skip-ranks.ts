import type { CandidateRule } from './rule.js';

/**
 * Drops the first ranks, where unlabelled positives are most frequent (RocketQA found 70% of MS MARCO's top hits to
 * be relevant). Ranks are those of the original ranking, known positives included.
 */
export function skipRanks(ranks: number): CandidateRule {
  return {
    name: 'skip-ranks',
    parameters: { ranks },
    judge: () => (place) => place < ranks,
  };
}
