/** Digits that give back every 32-bit number. */
const DIGITS = 9;

/**
 * A vector as JSON. Every number is written with a point: Qdrant would take two rows of whole numbers for a sparse vector, whose terms
 * and weights are two lists as well.
 */
export function vectorJson(row: Float32Array): string {
  let text = '[';
  for (let i = 0; i < row.length; i++) text += `${i > 0 ? ',' : ''}${row[i].toPrecision(DIGITS)}`;
  return `${text}]`;
}

/** Rows one after another as a list of vectors. */
export function rowsJson(rows: Float32Array, dimension: number): string {
  let text = '[';
  for (let start = 0; start < rows.length; start += dimension) {
    text += `${start > 0 ? ',' : ''}${vectorJson(rows.subarray(start, start + dimension))}`;
  }
  return `${text}]`;
}

export function sparseJson(terms: Uint32Array, weights: Float32Array): string {
  return `{"indices":[${terms.join(',')}],"values":${vectorJson(weights)}}`;
}
