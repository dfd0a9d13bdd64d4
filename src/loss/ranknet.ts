import { oneOf } from '../base/settings.js';
import { neg, softplus } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';
import { pairwise } from './pairwise.js';

export interface RankNetOptions {
  /** What a positive is compared with: the query's own negatives, or the positives of the batch's other queries. */
  against?: 'own' | 'positives';
}

/**
 * log(1 + e^(s⁻ − s⁺)), mean over pairs. STAR (Zhan et al. 2021) is the sum of both kinds: own negatives, which are static
 * hard ones, and α times other queries' positives, which are random ones.
 */
export function rankNet({ against = 'own' }: RankNetOptions = {}): Loss {
  return {
    name: against === 'own' ? 'ranknet' : `ranknet against ${against}`,
    negatives: against,
    build: (inputs) => pairwise(inputs, (difference) => softplus(neg(difference))),
  };
}

export const rankNetKind = lossKind({
  name: 'ranknet',
  description: 'log(1 + exp(s⁻ − s⁺)) over the pairs of positive and negative',
  options: {
    against: oneOf('own', 'positives')
      .default('own')
      .describe("the query's own negatives, or the positives of the other queries of the batch (STAR)"),
  },
  create: rankNet,
});
