import { add, concat, type DenseTensor, matmul, reduceMax, reshape } from '../../engine/index.js';
import { MASKED } from '../encoder/packed-batch.js';
import { dot } from './dot.js';
import { type RowOffsets, scorerKind } from './scorer.js';

/**
 * A document scores as its best row does (MaxP, ME-BERT). The k-th rows of all documents are picked from the matrix of
 * row scores by a product with a 0/1 matrix, whose gradient is another product: nothing is scattered.
 */
export const maxKind = scorerKind({
  name: 'max',
  description: "the best inner product of the query's row with any of the document's",
  options: {},
  create: () => ({
    build(graph, queries, documents, scale) {
      const { texts, mostRows, value } = documents;
      const scores = matmul(queries.value, value, { transposeB: true, alpha: scale });
      const picked = Array.from({ length: mostRows }, (_, k) => {
        const selection = graph.input(`piece${k}`, [value.shape[0], texts]);
        const missing = graph.input(`missing${k}`, [texts]);
        const kth = add(matmul(scores, selection), missing);
        return reshape(kth, [queries.texts, 1, texts]);
      });
      return reduceMax(concat(picked, { axis: 1 }), { axes: [1] });
    },
    feeds: ({ documents }, most) => kthRows(documents, most.documents),
    score(query, document, dimension) {
      let best = Number.NEGATIVE_INFINITY;
      for (let start = 0; start < document.length; start += dimension) {
        best = Math.max(best, dot(query, document.subarray(start, start + dimension), dimension));
      }
      return best;
    },
    bestInnerProduct: true,
  }),
});

function kthRows(offsets: RowOffsets, most: number): Record<string, DenseTensor> {
  const texts = offsets.length - 1;
  const rows = offsets[texts];
  const feeds: Record<string, DenseTensor> = {};
  for (let k = 0; k < most; k++) {
    const selection = new Float32Array(rows * texts);
    const missing = new Float32Array(texts);
    for (let text = 0; text < texts; text++) {
      const row = offsets[text] + k;
      if (row < offsets[text + 1]) selection[row * texts + text] = 1;
      else missing[text] = MASKED;
    }
    feeds[`piece${k}`] = { shape: [rows, texts], data: selection };
    feeds[`missing${k}`] = { shape: [texts], data: missing };
  }
  return feeds;
}
