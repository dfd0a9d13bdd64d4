import { oneOf, whole } from '../base/settings.js';
import {
  add,
  div,
  equal,
  log,
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

export interface LambdaOptions {
  /** What swaps are measured by. */
  measure?: 'rr' | 'ndcg';
  /** Ranks that count. */
  cut?: number;
}

/**
 * LambdaLoss as ADORE trains with (Zhan et al. 2021, after Burges 2010): every pair of a relevant and another document
 * of a query's list counts by how much the measure at `cut` would change if the two swapped ranks,
 * |ΔM| · log(1 + exp(s⁻ − s⁺)), summed over pairs and divided by the number of queries. Ranks are those of the present
 * scores, without a gradient.
 */
export function lambda({ measure = 'rr', cut = 10 }: LambdaOptions = {}): Loss {
  const changeOf = measure === 'rr' ? changeOfRr : changeOfNdcg;
  return {
    name: 'lambda',
    negatives: 'own',
    needs: ['lists'],
    build({ lists }) {
      const { scores, gains, present } = lists!;
      const relevant = sign(gains);
      const pairs = mul(asRow(relevant), asColumn(sub(present, relevant)));
      const losses = softplus(sub(asColumn(scores), asRow(scores)));
      const weighted = mul(mul(pairs, changeOf(lists!, relevant, cut)), losses);
      const queries = reduceSum(reduceMax(present, { axes: [1] }));
      return div(reduceSum(weighted), add(queries, 1e-12));
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
  return absolute(sub(after, reshape(best, [best.shape[0], 1, 1])));
}

/** |ΔnDCG@cut| of each swap, with linear gain: |g⁺ − g⁻| · |1/log₂(1 + r⁺) − 1/log₂(1 + r⁻)| / ideal DCG. */
function changeOfNdcg(lists: ListInputs, _: Value, cut: number): Value {
  const { gains, present, ideal } = lists;
  const discounts = discountsOf(ranksOf(lists), cut);
  const best = reduceSum(mul(mul(gains, present), discountsOf(ideal, cut)), { axes: [1] });
  const moved = absolute(sub(asRow(discounts), asColumn(discounts)));
  const gained = absolute(sub(asRow(gains), asColumn(gains)));
  // Without a gain there is nothing to divide.
  return div(mul(gained, moved), reshape(add(best, 1e-12), [best.shape[0], 1, 1]));
}

/** 1/log₂(1 + rank) up to the cut, 0 beyond it. */
function discountsOf(ranks: Value, cut: number): Value {
  return div(mul(relu(sign(sub(cut + 0.5, ranks))), Math.LN2), log(add(ranks, 1)));
}

function absolute(x: Value): Value {
  return add(relu(x), relu(sub(0, x)));
}

export const lambdaKind = lossKind({
  name: 'lambda',
  description:
    'pairs of relevant and other documents of a query, each by how much a measure changes if they swap places (ADORE)',
  options: {
    measure: oneOf('rr', 'ndcg')
      .default('rr')
      .describe('what changes: the reciprocal rank of the first relevant document, or nDCG with linear gain'),
    cut: whole(1).default(200).describe('ranks that count; beyond them a document counts as not found'),
  },
  create: lambda,
});
