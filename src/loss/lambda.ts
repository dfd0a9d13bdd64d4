import { whole } from '../base/settings.js';
import {
  add,
  div,
  equal,
  mul,
  reduceMax,
  reduceSum,
  relu,
  reshape,
  sign,
  softplus,
  sub,
  toFloat,
  type Value,
  where,
} from '../engine/index.js';
import { type ListInputs, type Loss, lossKind } from './loss.js';

/**
 * LambdaLoss as ADORE trains with (Zhan et al. 2021, after Burges 2010): every pair of a relevant and another document
 * of a query's list counts by how much RR@cut would change if the two swapped ranks, |ΔRR| · log(1 + exp(s⁻ − s⁺)),
 * summed over pairs and divided by the number of queries. Ranks are those of the present scores, without a gradient.
 */
export function lambda({ cut = 10 }: { cut?: number } = {}): Loss {
  return {
    name: 'lambda',
    negatives: 'own',
    needs: ['lists'],
    build({ lists }) {
      const { scores, gains, present } = lists!;
      const relevant = sign(gains);
      const pairs = mul(asRow(relevant), asColumn(sub(present, relevant)));
      const losses = softplus(sub(asColumn(scores), asRow(scores)));
      const weighted = mul(mul(pairs, changeOfRr(lists!, relevant, cut)), losses);
      const queries = reduceSum(reduceMax(present, { axes: [1] }));
      return div(reduceSum(weighted), queries);
    },
  };
}

/** [queries, list] along the second of [queries, document, other document]. */
function asRow(x: Value): Value {
  return reshape(x, [x.shape[0], x.shape[1], 1]);
}

/** [queries, list] along the last of [queries, document, other document]. */
function asColumn(x: Value): Value {
  return reshape(x, [x.shape[0], 1, x.shape[1]]);
}

/** One more than the number of better documents; signs have no gradient, and so ranks have none. */
function ranksOf({ scores, present }: ListInputs): Value {
  const better = mul(relu(sign(sub(asColumn(scores), asRow(scores)))), asColumn(present));
  return add(reduceSum(better, { axes: [2] }), 1);
}

/**
 * |ΔRR@cut| of each swap: the first relevant document is then where the other document was, or the best of the
 * relevant documents that stay.
 */
function changeOfRr(lists: ListInputs, relevant: Value, cut: number): Value {
  const ranks = ranksOf(lists);
  const counted = mul(relu(sign(sub(cut + 0.5, ranks))), lists.present);
  const reciprocal = div(counted, ranks);
  const ofRelevant = mul(reciprocal, relevant);
  const best = reduceMax(ofRelevant, { axes: [1], keepDims: true });
  const isBest = toFloat(equal(ofRelevant, best));
  const second = reduceMax(where(equal(isBest, 1), 0, ofRelevant), { axes: [1], keepDims: true });
  const staying = asRow(add(mul(isBest, sub(second, best)), best));
  const after = add(staying, relu(sub(asColumn(reciprocal), staying)));
  const change = sub(after, reshape(best, [best.shape[0], 1, 1]));
  return add(relu(change), relu(sub(0, change)));
}

export const lambdaKind = lossKind({
  name: 'lambda',
  description:
    'pairs of relevant and other documents of a query, each by how much the reciprocal rank changes if they swap places (ADORE)',
  options: {
    cut: whole(1).default(200).describe('ranks that count; beyond them a document counts as not found'),
  },
  create: lambda,
});
