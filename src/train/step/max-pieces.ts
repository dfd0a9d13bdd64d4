import {
  add,
  concat,
  type DenseTensor,
  type Graph,
  matmul,
  reduceMax,
  reshape,
  type Value,
} from '../../engine/index.js';
import { MASKED } from '../../model/encoder/packed-batch.js';
import { documentCount, type TrainingBatch } from '../task/batch.js';

const PIECES = 'pieces';

/**
 * MaxP: a document scores as its best piece does. The k-th pieces of all documents are picked from the matrix of
 * piece scores by a product with a 0/1 matrix, whose gradient is another product: nothing is scattered.
 */
export function bestPieces(
  graph: Graph,
  scores: Value,
  dims: { queries: string; documents: string; maxPieces: number },
): Value {
  const { queries, documents, maxPieces } = dims;
  const picked = Array.from({ length: maxPieces }, (_, k) => {
    const selection = graph.input(`piece${k}`, [PIECES, documents]);
    const missing = graph.input(`missing${k}`, [documents]);
    const kth = add(matmul(scores, selection), missing);
    return reshape(kth, [queries, 1, documents]);
  });
  return reduceMax(concat(picked, { axis: 1 }), { axes: [1] });
}

/** The feeds of {@link bestPieces}. */
export function pieceFeeds(batch: TrainingBatch, maxPieces: number): Record<string, DenseTensor> {
  const offsets = batch.pieceOffsets!;
  const [pieces, documents] = [batch.documents.length, documentCount(batch)];
  const feeds: Record<string, DenseTensor> = {};
  for (let k = 0; k < maxPieces; k++) {
    const selection = new Float32Array(pieces * documents);
    const missing = new Float32Array(documents);
    for (let d = 0; d < documents; d++) {
      const piece = offsets[d] + k;
      if (piece < offsets[d + 1]) selection[piece * documents + d] = 1;
      else missing[d] = MASKED;
    }
    feeds[`piece${k}`] = { shape: [pieces, documents], data: selection };
    feeds[`missing${k}`] = { shape: [documents], data: missing };
  }
  return feeds;
}
