/** The row of a document that scores best for a query, which is the one it is found by (MaxP), and its score. */
export function bestRow(query: Float32Array, rows: Float32Array): { row: Float32Array; score: number } {
  const { length } = query;
  let best = { row: rows.subarray(0, length), score: Number.NEGATIVE_INFINITY };
  for (let start = 0; start < rows.length; start += length) {
    const row = rows.subarray(start, start + length);
    let score = 0;
    for (let i = 0; i < length; i++) score += row[i] * query[i];
    if (score > best.score) best = { row, score };
  }
  return best;
}
