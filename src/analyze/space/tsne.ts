import { Random } from '../../engine/index.js';
import { affinities } from './affinities.js';
import { tsneGradient } from './tsne-gradient.js';

export interface TsneOptions {
  seed: number;
  /** About how many neighbours each point keeps near. Default 30, less where there are few points. */
  perplexity?: number;
  /** Default 750. */
  iterations?: number;
}

/** Attraction in the first iterations, which lets clusters form before they repel each other. */
const EXAGGERATION = 12;
const EXAGGERATED_ITERATIONS = 250;

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
