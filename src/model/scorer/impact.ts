import { NearmissError } from '../../base/errors.js';
import {
  concat,
  equal,
  matmul,
  mul,
  reduceMax,
  relu,
  reshape,
  split,
  toFloat,
  type Value,
} from '../../engine/index.js';
import { ownerFeeds, owners } from './owners.js';
import { paddingFeeds, padRows } from './padded-rows.js';
import { scorerKind } from './scorer.js';

/** Rows of terms: a term's number and its weight. */
export const TERM_ROW = 2;

/**
 * Learned sparse retrieval: what query and document give to the terms that they share, Σᵢ qᵢ · maxⱼ dⱼ over the document's
 * rows j of the same term. Rows are a term and its weight; weights below 0 count as 0.
 */
export const impactKind = scorerKind({
  name: 'impact',
  description:
    'the weights of the terms that query and document share, multiplied and summed (uniCOIL, SPLADE)',
  options: {},
  create: () => ({
    build(graph, queries, documents, scale) {
      // A weight for every word of the vocabulary: those that are shared are multiplied, and no others.
      if (queries.value.shape[1] !== TERM_ROW) {
        if (documents.mostRows > 1) throw inPieces();
        return matmul(queries.value, documents.value, { transposeB: true, alpha: scale });
      }
      const [rows, texts] = [queries.value.shape[0], documents.texts];
      const padded = padRows(graph, documents);
      const places = padded.value.shape[0];
      const [queryTerms, queryWeights] = columns(queries.value);
      // A row that is not there has no weight: 0 is neutral among weights that are not negative.
      const [terms, weights] = columns(padded.value).map((column) => reshape(column, [1, places]));
      const shared = toFloat(equal(queryTerms, terms));
      const matches = reshape(mul(shared, relu(weights)), [rows, texts, padded.most]);
      const best = reduceMax(matches, { axes: [2] });
      return matmul(owners(graph, queries), mul(best, relu(queryWeights)), { alpha: scale });
    },
    feeds: ({ queries, documents }, most) =>
      most.queries === 1
        ? {}
        : { ...ownerFeeds('queries', queries), ...paddingFeeds('documents', documents) },
    score: impactScore,
    bestInnerProduct: false,
    addsUp: true,
    zeroIsNoHit: true,
  }),
});

function inPieces(): NearmissError {
  return new NearmissError(
    'documents in pieces: weights for the whole vocabulary are of one text, got several',
    {
      hint: 'set model.passages.mode=first, or split the documents beforehand',
    },
  );
}

/** The terms and the weights of rows, [rows, 1] each. */
function columns(rows: Value): Value[] {
  return split(rows, { axis: 1, sizes: [1, 1] });
}

/** Rows of terms from their columns. */
export function termRows(terms: Value, weights: Value): Value {
  return concat([terms, weights], { axis: 1, dim: TERM_ROW });
}

/** What a document's rows give to each of its terms: the greatest weight, where it is above 0. */
export function documentImpacts(rows: Float32Array): Map<number, number> {
  const impacts = new Map<number, number>();
  for (let row = 0; row < rows.length; row += TERM_ROW) {
    const weight = rows[row + 1];
    if (weight > (impacts.get(rows[row]) ?? 0)) impacts.set(rows[row], weight);
  }
  return impacts;
}

/** What a query's rows give to each of its terms: the sum of weights above 0, as a term that stands twice counts twice. */
export function queryImpacts(rows: Float32Array): Map<number, number> {
  const impacts = new Map<number, number>();
  for (let row = 0; row < rows.length; row += TERM_ROW) {
    const weight = rows[row + 1];
    if (weight > 0) impacts.set(rows[row], (impacts.get(rows[row]) ?? 0) + weight);
  }
  return impacts;
}

/** The words that weigh above 0, as rows; a text without any has one row without a weight. */
export function weighingTerms(weights: Float32Array): Float32Array {
  const rows: number[] = [];
  weights.forEach((weight, term) => {
    if (weight > 0) rows.push(term, weight);
  });
  return Float32Array.from(rows.length > 0 ? rows : [0, 0]);
}

function impactScore(query: Float32Array, document: Float32Array): number {
  const impacts = documentImpacts(document);
  let sum = 0;
  for (const [term, weight] of queryImpacts(query)) sum += weight * (impacts.get(term) ?? 0);
  return sum;
}
