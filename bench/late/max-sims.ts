/**
 * Adds Σᵢ maxⱼ of products [rows of documents, rows of a query] to each document's score; its rows are
 * `offsets[i] … offsets[i + 1] - 1`. A document without rows gets −∞.
 */
export function addMaxSims(
  products: Float32Array,
  offsets: Uint32Array,
  queryRows: number,
  scores: Float32Array,
): void {
  const best = new Float32Array(queryRows);
  for (let document = 0; document + 1 < offsets.length; document++) {
    best.fill(Number.NEGATIVE_INFINITY);
    let at = offsets[document] * queryRows;
    for (let row = offsets[document]; row < offsets[document + 1]; row++) {
      for (let i = 0; i < queryRows; i++, at++) if (products[at] > best[i]) best[i] = products[at];
    }
    let sum = 0;
    for (let i = 0; i < queryRows; i++) sum += best[i];
    scores[document] += sum;
  }
}
