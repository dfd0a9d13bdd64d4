import { LEAST } from './affinities.js';

export interface TsneGradient {
  /** Of every pair, n × n. */
  probabilities: Float64Array;
  places: Float64Array;
  /** Filled. */
  gradient: Float64Array;
  /** Multiplies the probabilities. Default 1. */
  exaggeration?: number;
}

/** The gradient of eq. 5; gives the Kullback-Leibler divergence that it belongs to. */
export function tsneGradient({ probabilities, places, gradient, exaggeration = 1 }: TsneGradient): number {
  const count = places.length / 2;
  let total = 0;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) total += 2 * kernel(places, i, j);
  }
  gradient.fill(0);
  let divergence = 0;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const near = kernel(places, i, j);
      const p = exaggeration * probabilities[i * count + j];
      const q = Math.max(near / total, LEAST);
      divergence += 2 * p * Math.log(p / q);
      const pull = 4 * (p - q) * near;
      const [dx, dy] = [places[2 * i] - places[2 * j], places[2 * i + 1] - places[2 * j + 1]];
      gradient[2 * i] += pull * dx;
      gradient[2 * i + 1] += pull * dy;
      gradient[2 * j] -= pull * dx;
      gradient[2 * j + 1] -= pull * dy;
    }
  }
  return divergence;
}

/** Student's t with one degree of freedom, not normalised. */
function kernel(places: Float64Array, i: number, j: number): number {
  const dx = places[2 * i] - places[2 * j];
  const dy = places[2 * i + 1] - places[2 * j + 1];
  return 1 / (1 + dx * dx + dy * dy);
}
