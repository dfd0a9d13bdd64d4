import { Random } from '../../engine/index.js';

export interface TsneOptions {
  seed: number;
  /** About how many neighbours each point keeps near. Default 30, less where there are few points. */
  perplexity?: number;
  /** Default 750. */
  iterations?: number;
}

/** Everything below a probability of this is none: it keeps logarithms finite. */
const LEAST = 1e-12;
/** Attraction in the first iterations, which lets clusters form before they repel each other. */
const EXAGGERATION = 12;
const EXAGGERATED_ITERATIONS = 250;
const BISECTIONS = 60;

/**
 * Exact t-SNE (van der Maaten and Hinton 2008) in two dimensions, for up to some 1,500 points: time and memory grow
 * with the square of their number.
 *
 * @param distances squared distances of every pair, n × n
 * @returns x and y of each point
 * @example
 * const [x, y] = tsne(distances, { seed: 42 }); // of the first point
 */
export function tsne(distances: Float64Array, options: TsneOptions): Float64Array {
  const count = Math.round(Math.sqrt(distances.length));
  const { iterations = 750 } = options;
  const perplexity = Math.min(options.perplexity ?? 30, Math.max(1, (count - 1) / 3));
  const random = Random.from(options.seed, 'tsne');
  const places = Float64Array.from({ length: 2 * count }, () => 1e-4 * random.normal());
  if (count < 3) return spread(places, count);
  const probabilities = affinities(distances, perplexity);
  const gradient = new Float64Array(2 * count);
  const velocity = new Float64Array(2 * count);
  const gains = new Float64Array(2 * count).fill(1);
  // Belkina et al. 2019: a rate that grows with the number of points spares the tuning.
  const rate = Math.max(count / EXAGGERATION / 4, 50);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const early = iteration < Math.min(EXAGGERATED_ITERATIONS, iterations / 3);
    tsneGradient({ probabilities, places, gradient, exaggeration: early ? EXAGGERATION : 1 });
    descend({ places, gradient, velocity, gains, rate, momentum: early ? 0.5 : 0.8 });
    center(places);
  }
  return places;
}

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

interface Descent {
  places: Float64Array;
  gradient: Float64Array;
  velocity: Float64Array;
  gains: Float64Array;
  rate: number;
  momentum: number;
}

/** One step with momentum and Jacobs' gains for each coordinate. */
function descend({ places, gradient, velocity, gains, rate, momentum }: Descent): void {
  for (let k = 0; k < places.length; k++) {
    const turned = gradient[k] > 0 === velocity[k] > 0;
    gains[k] = Math.max(0.01, turned ? gains[k] * 0.8 : gains[k] + 0.2);
    velocity[k] = momentum * velocity[k] - rate * gains[k] * gradient[k];
    places[k] += velocity[k];
  }
}

function center(places: Float64Array): void {
  for (let axis = 0; axis < 2; axis++) {
    let sum = 0;
    for (let k = axis; k < places.length; k += 2) sum += places[k];
    const mean = (2 * sum) / places.length;
    for (let k = axis; k < places.length; k += 2) places[k] -= mean;
  }
}

/** One or two points have no neighbourhoods: they are laid beside each other. */
function spread(places: Float64Array, count: number): Float64Array {
  for (let i = 0; i < count; i++) places.set([i, 0], 2 * i);
  return places;
}
