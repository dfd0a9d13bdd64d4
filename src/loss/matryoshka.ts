import { NearmissError } from '../base/errors.js';
import { list, oneOf, positive, whole } from '../base/settings.js';
import { add, div, mul } from '../engine/index.js';
import { bce } from './bce.js';
import { hinge } from './hinge.js';
import { infoNce } from './info-nce.js';
import { type Loss, lossKind } from './loss.js';
import { nll } from './nll.js';
import { rankNet } from './ranknet.js';

/** What may be learned on every prefix, by name. */
const INNER = { infonce: infoNce, nll, bce, hinge: hinge(), ranknet: rankNet() };

export interface MatryoshkaOptions {
  /** The loss of each prefix. */
  of?: keyof typeof INNER;
  /** Lengths of the prefixes; the whole vector counts besides. */
  dimensions?: number[];
  /** The weight of the whole vector's loss, then of each prefix's. */
  weights?: number[];
}

/**
 * Matryoshka representation learning (Kusupati et al. 2022): one loss on whole vectors and on their first numbers, so that
 * vectors may be cut when they are indexed. A weighted mean, which keeps the size of gradients.
 */
export function matryoshka({
  of = 'infonce',
  dimensions = [64, 128],
  weights,
}: MatryoshkaOptions = {}): Loss {
  const inner: Loss = INNER[of];
  const factors = weights ?? [1, ...dimensions.map(() => 1)];
  const total = factors.reduce((sum, weight) => sum + weight, 0);
  return {
    name: 'matryoshka',
    negatives: inner.negatives,
    needs: ['prefixes'],
    build(inputs) {
      const size = inputs.prefixes!.size;
      const tooLong = dimensions.find((dimension) => dimension > size);
      if (tooLong !== undefined) {
        throw new NearmissError(`loss.dimensions: expected at most ${size}, the model's, got ${tooLong}`, {
          hint: 'name shorter prefixes',
        });
      }
      const scores = [inputs.scores, ...dimensions.map((dimension) => inputs.prefixes!.scores(dimension))];
      const parts = scores.map((part, i) => mul(inner.build({ ...inputs, scores: part }), factors[i]));
      return div(
        parts.reduce((sum, part) => add(sum, part)),
        total,
      );
    },
  };
}

const LENGTHS = 'a list of lengths, e.g. [64, 128]';
const WEIGHTS = 'a list of weights above 0';

export const matryoshkaKind = lossKind({
  name: 'matryoshka',
  description:
    'another loss on whole vectors and on their first numbers, so that they may be cut (`refresh.index.dimensions`)',
  options: {
    of: oneOf('infonce', 'nll', 'bce', 'hinge', 'ranknet')
      .default('infonce')
      .describe('the loss of each prefix'),
    dimensions: list(whole(1), LENGTHS)
      .default([64, 128])
      .describe('lengths of the prefixes; the whole vector counts besides'),
    weights: list(positive(), WEIGHTS)
      .optional()
      .describe(
        "the weight of the whole vector's loss, then of each prefix's; without it all weigh the same",
      ),
  },
  create: matryoshka,
  check({ dimensions, weights }) {
    const lengths = dimensions as number[];
    const factors = weights as number[] | undefined;
    if (factors === undefined || factors.length === lengths.length + 1) return [];
    return [
      {
        field: 'weights',
        level: 'error',
        message: `expected ${lengths.length + 1} weights, one of whole vectors and one of each prefix, got ${factors.length}`,
        hint: 'leave weights out to weigh all the same',
      },
    ];
  },
});
