import { add, matmul, reduceMax, reshape } from '../../engine/index.js';
import { dot } from './dot.js';
import { ownerFeeds, owners } from './owners.js';
import { paddingFeeds, padRows } from './padded-rows.js';
import { scorerKind } from './scorer.js';

/**
 * Late interaction (ColBERT): each row of the query is matched with its best row of the document, and the matches add
 * up, Σᵢ maxⱼ qᵢ·dⱼ.
 */
export const maxSimKind = scorerKind({
  name: 'max-sim',
  description:
    "for each of the query's rows the best inner product with any of the document's, summed (ColBERT)",
  options: {},
  create: () => ({
    build(graph, queries, documents, scale) {
      const [rows, texts] = [queries.value.shape[0], documents.texts];
      const padded = padRows(graph, documents);
      const scores = matmul(queries.value, padded.value, { transposeB: true, alpha: scale });
      const byDocument = add(
        reshape(scores, [rows, texts, padded.most]),
        reshape(padded.missing, [1, texts, padded.most]),
      );
      return matmul(owners(graph, queries), reduceMax(byDocument, { axes: [2] }));
    },
    feeds: ({ queries, documents }) => ({
      ...ownerFeeds('queries', queries),
      ...paddingFeeds('documents', documents),
    }),
    score: maxSim,
    bestInnerProduct: false,
    addsUp: true,
  }),
});

/** Σᵢ maxⱼ qᵢ·dⱼ over the rows of a query and those of a document. */
export function maxSim(query: Float32Array, document: Float32Array, dimension: number): number {
  let sum = 0;
  for (let i = 0; i < query.length; i += dimension) {
    const row = query.subarray(i, i + dimension);
    let best = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < document.length; j += dimension) {
      best = Math.max(best, dot(row, document.subarray(j, j + dimension), dimension));
    }
    sum += best;
  }
  return sum;
}
