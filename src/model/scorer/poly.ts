import { add, matmul, mul, reduceSum, reshape, softmax, transpose } from '../../engine/index.js';
import { dot } from './dot.js';
import { paddingFeeds, padRows } from './padded-rows.js';
import { scorerKind } from './scorer.js';

/**
 * Poly-encoder: the document looks at the query's rows, wᵢ = softmaxᵢ(yᵢ·d), and is compared with what it sees,
 * Σᵢ wᵢ yᵢ·d. The score is a mean of the rows' inner products, so it is never above the best of them.
 */
export const polyKind = scorerKind({
  name: 'poly',
  description: "the document's only row with what it sees when it looks at the query's rows (Poly-encoder)",
  options: {},
  create: () => ({
    build(graph, queries, documents, scale) {
      const [texts, others] = [queries.texts, documents.value.shape[0]];
      const { value, missing, most } = padRows(graph, queries);
      const products = matmul(value, documents.value, { transposeB: true });
      const byQuery = transpose(reshape(products, [texts, most, others]), [0, 2, 1]);
      const weights = softmax(add(byQuery, reshape(missing, [texts, 1, most])));
      return mul(reduceSum(mul(weights, byQuery), { axes: [2] }), scale);
    },
    feeds: ({ queries }) => paddingFeeds('queries', queries),
    score: polyScore,
    bestInnerProduct: false,
  }),
});

/** Σᵢ softmaxᵢ(yᵢ·d) yᵢ·d over the rows of a query. */
export function polyScore(query: Float32Array, document: Float32Array, dimension: number): number {
  const products: number[] = [];
  for (let i = 0; i < query.length; i += dimension) {
    products.push(dot(query.subarray(i, i + dimension), document, dimension));
  }
  const most = Math.max(...products);
  let [weights, sum] = [0, 0];
  for (const product of products) {
    const weight = Math.exp(product - most);
    weights += weight;
    sum += weight * product;
  }
  return sum / weights;
}
