import { mean } from '../base/numbers/mean.js';

/** How scores of several teachers are made comparable before their mean is taken. */
export const NORMALIZATIONS = ['none', 'z-score', 'min-max'] as const;

export type Normalization = (typeof NORMALIZATIONS)[number];

/** The mean of what several teachers gave to the same list of documents, each list normalised by itself. */
export function meanOfNormalized(lists: readonly Float32Array[], how: Normalization): Float32Array {
  const means = new Float32Array(lists[0].length);
  for (const list of lists) {
    const { shift, scale } = adjustmentOf(list, how);
    list.forEach((score, i) => {
      means[i] += ((score - shift) * scale) / lists.length;
    });
  }
  return means;
}

/** Where all scores are the same there is nothing to stretch: they become 0. */
function adjustmentOf(list: Float32Array, how: Normalization): { shift: number; scale: number } {
  if (how === 'none' || list.length === 0) return { shift: 0, scale: 1 };
  if (how === 'min-max') {
    const [least, most] = list.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
    return { shift: least, scale: most > least ? 1 / (most - least) : 0 };
  }
  const middle = mean(list);
  const deviation = Math.sqrt(mean(Array.from(list, (x) => (x - middle) ** 2)));
  return { shift: middle, scale: deviation > 0 ? 1 / deviation : 0 };
}
