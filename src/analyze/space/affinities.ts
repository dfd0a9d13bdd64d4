/** Everything below a probability of this is none: it keeps logarithms finite. */
export const LEAST = 1e-12;

const BISECTIONS = 60;

/**
 * Symmetric probabilities of every pair (eq. 1 and §3.1): each point's Gaussian is as wide as gives it the perplexity,
 * which bisection of the precision finds.
 */
export function affinities(distances: Float64Array, perplexity: number): Float64Array {
  const count = Math.round(Math.sqrt(distances.length));
  const conditional = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    const from = distances.subarray(i * count, (i + 1) * count);
    fitRow(from, i, Math.log(perplexity), conditional.subarray(i * count, (i + 1) * count));
  }
  const joint = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) {
      if (i === j) continue;
      joint[i * count + j] = Math.max(
        (conditional[i * count + j] + conditional[j * count + i]) / (2 * count),
        LEAST,
      );
    }
  }
  return joint;
}

function fitRow(distances: Float64Array, self: number, entropy: number, row: Float64Array): void {
  // Only differences count; without the smallest distance the exponentials cannot all vanish.
  let nearest = Number.POSITIVE_INFINITY;
  for (let j = 0; j < distances.length; j++) if (j !== self) nearest = Math.min(nearest, distances[j]);
  let [low, high, precision] = [0, Number.POSITIVE_INFINITY, 1];
  for (let step = 0; step < BISECTIONS; step++) {
    let [sum, weighted] = [0, 0];
    for (let j = 0; j < distances.length; j++) {
      const distance = distances[j] - nearest;
      row[j] = j === self ? 0 : Math.exp(-precision * distance);
      sum += row[j];
      weighted += row[j] * distance;
    }
    for (let j = 0; j < distances.length; j++) row[j] /= sum;
    const got = Math.log(sum) + (precision * weighted) / sum;
    if (Math.abs(got - entropy) < 1e-6) return;
    if (got > entropy) {
      low = precision;
      precision = high === Number.POSITIVE_INFINITY ? 2 * precision : (low + high) / 2;
    } else {
      high = precision;
      precision = (low + high) / 2;
    }
  }
}
