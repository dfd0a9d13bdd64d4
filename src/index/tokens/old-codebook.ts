import { WORDS } from './codeword-finder.js';
import { type Codebook, packedBytes, type TokenBits } from './residual-codec.js';

/** What rows were taken apart by before there were codewords: all components share 2^bits weights. */
export interface Buckets {
  dimension: number;
  bits: TokenBits;
  centroids: Float32Array;
  weights: Float32Array;
}

/**
 * The same as codewords: a byte holds the buckets of 8/bits components, the first in the lowest bits. Rows lie as they came, and all
 * have length 1.
 */
export function codebookOfBuckets({ dimension, bits, centroids, weights }: Buckets): Codebook {
  const most = 8 / bits;
  const sizes = new Uint32Array(packedBytes({ dimension, bits })).map((_, group) =>
    Math.min(most, dimension - group * most),
  );
  const codewords = new Float32Array(dimension * WORDS);
  sizes.forEach((size, group) => {
    for (let i = 0; i < WORDS * size; i++) {
      const bucket = (Math.floor(i / size) >> ((i % size) * bits)) & (2 ** bits - 1);
      codewords[group * most * WORDS + i] = weights[bucket];
    }
  });
  const directions = new Float32Array(dimension * dimension);
  for (let i = 0; i < dimension; i++) directions[i * dimension + i] = 1;
  return { dimension, bits, directions, centroids, sizes, codewords };
}
