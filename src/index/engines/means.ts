/** Candidates that the mean of a query's rows finds for late interaction: so many times k, and at least. */
const CANDIDATES = { timesK: 64, atLeast: 1024 };

/** How many documents a graph of means is asked for, of which late interaction then finds the best k. */
export function candidatesFor(k: number): number {
  return Math.max(CANDIDATES.timesK * k, CANDIDATES.atLeast);
}

/** The mean of rows, in their order. */
export function meanOf(rows: Float32Array, dimension: number): Float32Array {
  const mean = new Float32Array(dimension);
  for (let i = 0; i < rows.length; i++) mean[i % dimension] += rows[i];
  return mean.map((sum) => (sum * dimension) / rows.length);
}
