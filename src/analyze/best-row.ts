import { innerProduct } from '../base/numbers/inner-product.js';

/** The row of a document that scores best for a query, which is the one it is found by (MaxP), and its score. */
export function bestRow(query: Float32Array, rows: Float32Array): { row: Float32Array; score: number } {
  const { length } = query;
  let best = { row: rows.subarray(0, length), score: Number.NEGATIVE_INFINITY };
  for (let start = 0; start < rows.length; start += length) {
    const score = innerProduct(query, rows, start);
    if (score > best.score) best = { row: rows.subarray(start, start + length), score };
  }
  return best;
}
