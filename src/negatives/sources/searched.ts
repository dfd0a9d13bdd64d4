import { whole } from '../../base/settings.js';
import { negativesKind } from '../kind.js';
import type { Negative, NegativeSource } from '../sampler.js';

export const searchedKind = negativesKind({
  name: 'searched',
  description:
    'the top of the ranking by the present weights, searched anew at each step; documents must be frozen (ADORE)',
  options: {
    count: whole(1).default(200).describe('negatives for each query and step: the best ones'),
  },
  needsVectors: 'makes no vectors to search',
  needsFrozenDocuments: true,
  async open({ count: depth }, context) {
    return {
      async at(_, { members, queryRows }): Promise<NegativeSource> {
        const mostPositives = Math.max(...members.map((member) => context.positives(member).length));
        const { k, ids, scores } = await context.searchDocuments(await queryRows(), depth + mostPositives);
        const rowOf = new Map(members.map((member, row) => [member, row]));
        return {
          name: 'searched',
          sample(query, _random, count): Negative[] {
            const start = rowOf.get(query)! * k;
            const positives = new Set(context.positives(query));
            const found = Array.from(ids.subarray(start, start + k), (document, i) => ({
              document,
              source: 'searched',
              rank: i + 1,
              score: scores[start + i],
            }));
            return found
              .filter(({ document }) => document >= 0 && !positives.has(document))
              .slice(0, Math.min(count, depth));
          },
        };
      },
    };
  },
});
