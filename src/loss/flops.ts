import { between, whole } from '../base/settings.js';
import { add, mul, reduceMean, reduceSum, relu, sign, sub, type Value } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';

export interface FlopsOptions {
  /** Words of a document, of a query, that are not to weigh 0; only what is above costs. 0: every word costs. */
  documents?: number;
  queries?: number;
  /** Share of the stage in which it grows to its weight. */
  rise?: number;
}

/** FLOPS (Paria et al. 2020): Σⱼ (mean over texts of wⱼ)², about what comparing two texts costs in an inverted index. */
export function flops(rows: Value): Value {
  const means = reduceMean(rows, { axes: [0] });
  return reduceSum(mul(means, means));
}

/**
 * Keeps texts sparse: the FLOPS of queries and documents, each times how far its number of words is above what is asked
 * for, so that it ends by itself and never kills the last words. It grows with the square of the time (SPLADE).
 */
export function flopsLoss({ documents = 128, queries = 32, rise = 1 / 3 }: FlopsOptions = {}): Loss {
  return {
    name: 'flops',
    negatives: 'batch',
    needs: ['rows', 'progress'],
    build({ rows, progress }) {
      const ramp = rise === 0 ? 1 : risen(progress!, rise);
      const both = add(above(rows!.queries, queries), above(rows!.documents, documents));
      return mul(mul(ramp, ramp), both);
    },
  };
}

/** min(1, progress / rise) */
function risen(progress: Value, rise: number): Value {
  return sub(1, relu(sub(1, mul(progress, 1 / rise))));
}

function above(rows: Value, most: number): Value {
  const cost = flops(rows);
  return most === 0 ? cost : mul(cost, relu(sub(mul(nonZeros(rows), 1 / most), 1)));
}

/** How many words weigh something, on average over texts; a number, which has no gradient. */
function nonZeros(rows: Value): Value {
  return reduceMean(reduceSum(sign(rows), { axes: [1] }));
}

export const flopsKind = lossKind({
  name: 'flops',
  description: 'for the pooling vocabulary: how many words texts weigh, beside another loss (SPLADE)',
  options: {
    documents: whole(0)
      .default(128)
      .describe('words of a document; more cost, fewer do not. 0: every word costs'),
    queries: whole(0).default(32).describe('words of a query'),
    rise: between(0, 1)
      .default(1 / 3)
      .describe('share of the stage in which it grows to its weight, quadratically'),
  },
  create: (options) => flopsLoss(options),
});
