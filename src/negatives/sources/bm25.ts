import { negativesKind } from '../kind.js';
import { checkRanked, rankedOptions } from '../ranked-options.js';
import { TableSource } from '../table-source.js';

export const bm25Kind = negativesKind({
  name: 'bm25',
  description: "near the top of BM25's ranking",
  options: rankedOptions,
  check: checkRanked,
  needsTrainingQueries: true,
  async open(options, context) {
    const table = await context.fixedTable({
      source: 'bm25',
      options,
      index: "the run's BM25 index",
      what: 'bm25 negatives',
      lists: () => context.bm25Lists(options.depth),
    });
    const source = new TableSource({ table, name: 'bm25', sampling: options.sampling });
    return { at: async () => source };
  },
});
