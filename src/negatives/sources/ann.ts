import { negativesKind } from '../kind.js';
import { checkRanked, rankedOptions } from '../ranked-options.js';
import { TableSource } from '../table-source.js';

export const annKind = negativesKind({
  name: 'ann',
  description: 'near the top of the ranking by the model itself, kept fresh while it trains (ANCE)',
  options: rankedOptions,
  check: checkRanked,
  fresh: true,
  needsVectors: 'makes no vectors to search',
  needsTrainingQueries: true,
  async open({ sampling }, context) {
    let version: number | undefined;
    let source: TableSource | undefined;
    return {
      get version() {
        return version;
      },
      async at(step) {
        const fresh = await context.freshTable(step);
        if (!fresh) return undefined;
        if (fresh.version !== version) {
          source = new TableSource({ table: fresh.table, name: 'ann', sampling });
          version = fresh.version;
        }
        return source;
      },
    };
  },
});
