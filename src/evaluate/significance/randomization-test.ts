import { Random } from '../../engine/random.js';

export interface RandomizationOptions {
  /** Random exchanges drawn. Default 10,000. */
  permutations?: number;
  seed?: number;
}

export const DEFAULT_PERMUTATIONS = 10_000;
/** Sums that differ only by rounding count as equal. */
const TOLERANCE = 1e-10;

/**
 * Fisher's randomisation test, two-sided (Smucker et al. 2007): how often a difference of means at least this large
 * arises when each query's two values are exchanged at random. Where all exchanges are no more than `permutations`,
 * each is tried once and p is exact; otherwise p = (c + 1) / (n + 1), which never is 0.
 */
export function randomizationTest(
  a: Float64Array,
  b: Float64Array,
  options: RandomizationOptions = {},
): number {
  const { permutations = DEFAULT_PERMUTATIONS, seed = 42 } = options;
  const differences = a.map((value, i) => value - b[i]).filter((value) => value !== 0);
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  const atLeast = observed - TOLERANCE * Math.max(1, observed);
  if (differences.length === 0) return 1;
  const exchanges = 2 ** differences.length;
  if (exchanges <= permutations) return countAll(differences, atLeast) / exchanges;
  return (countDrawn(differences, atLeast, permutations, seed) + 1) / (permutations + 1);
}

function countAll(differences: Float64Array, atLeast: number): number {
  let count = 0;
  for (let signs = 0; signs < 2 ** differences.length; signs++) {
    let sum = 0;
    for (let i = 0; i < differences.length; i++) sum += signs & (1 << i) ? -differences[i] : differences[i];
    if (Math.abs(sum) >= atLeast) count++;
  }
  return count;
}

function countDrawn(differences: Float64Array, atLeast: number, permutations: number, seed: number): number {
  const random = Random.from(seed, 'randomization-test');
  let count = 0;
  for (let permutation = 0; permutation < permutations; permutation++) {
    let sum = 0;
    let signs = 0;
    for (let i = 0; i < differences.length; i++) {
      if (i % 32 === 0) signs = random.bits();
      sum += signs & 1 ? -differences[i] : differences[i];
      signs >>>= 1;
    }
    if (Math.abs(sum) >= atLeast) count++;
  }
  return count;
}
