/** Vectors one after another, as encoders give them. */
export interface VectorTable {
  vectors: Float32Array;
  dimension: number;
}

/**
 * 1 − cos of every pair, n × n. Of unit vectors it is half the squared Euclidean distance, so that what expects squares
 * may take it as such.
 */
export function cosineDistances({ vectors, dimension }: VectorTable): Float64Array {
  const unit = normalized({ vectors, dimension });
  const count = vectors.length / dimension;
  const distances = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      let dot = 0;
      for (let k = 0; k < dimension; k++) dot += unit[i * dimension + k] * unit[j * dimension + k];
      const distance = Math.max(0, 1 - dot);
      distances[i * count + j] = distance;
      distances[j * count + i] = distance;
    }
  }
  return distances;
}

/** Each vector at length 1; one that is zero stays zero. */
export function normalized({ vectors, dimension }: VectorTable): Float64Array {
  const unit = Float64Array.from(vectors);
  for (let start = 0; start < unit.length; start += dimension) {
    const row = unit.subarray(start, start + dimension);
    const norm = Math.hypot(...row);
    if (norm === 0) continue;
    for (let k = 0; k < dimension; k++) row[k] /= norm;
  }
  return unit;
}
