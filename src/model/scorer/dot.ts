import { matmul } from '../../engine/index.js';
import { scorerKind } from './scorer.js';

export const dotKind = scorerKind({
  name: 'dot',
  description: "the inner product of the query's and the document's only row",
  options: {},
  create: () => ({
    build: (_, queries, documents, scale) =>
      matmul(queries.value, documents.value, { transposeB: true, alpha: scale }),
    feeds: () => ({}),
    score: dot,
    bestInnerProduct: true,
  }),
});

/** Σ aᵢ·bᵢ over the first row of each. */
export function dot(a: Float32Array, b: Float32Array, dimension: number): number {
  let sum = 0;
  for (let i = 0; i < dimension; i++) sum += a[i] * b[i];
  return sum;
}
