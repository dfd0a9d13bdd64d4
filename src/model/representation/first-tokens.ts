import { whole } from '../../base/settings.js';
import { averageInLastLayer } from './average-in-last-layer.js';
import { representationKind } from './representation.js';

/** ME-BERT (Luan et al. 2021): a document is its first few states, and the best of them counts. */
export const firstTokensKind = representationKind({
  name: 'first-tokens',
  description: "the first token's state of a query, those of the first few tokens of a document (ME-BERT)",
  options: { rows: whole(1).default(3).describe('rows of a document') },
  sided: true,
  scorer: 'max',
  startFromMean: averageInLastLayer,
  create({ rows }, side) {
    const most = side === 'queries' ? 1 : rows;
    return {
      tokens: ({ ids }) => Array.from({ length: Math.min(most, ids.length) }, (_, token) => token),
      most,
    };
  },
});
