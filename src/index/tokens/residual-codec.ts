import { NearmissError } from '../../base/errors.js';

export const TOKEN_BITS = [1, 2, 4] as const;

/** Bits kept of each component of what a token's row differs from its centroid by. */
export type TokenBits = (typeof TOKEN_BITS)[number];

/** What rows are taken apart by, and put together again. */
export interface Codebook {
  dimension: number;
  bits: TokenBits;
  /** centroids × dimension, each of length 1 or 0. */
  centroids: Float32Array;
  /** Between buckets, ascending: 2^bits − 1. */
  cutoffs: Float32Array;
  /** What a component of each bucket stands for: 2^bits. */
  weights: Float32Array;
}

/**
 * ColBERTv2's residual compression: a row is the number of its nearest centroid and, for each component, in which of 2^bits
 * buckets its difference from the centroid falls. Components are packed with the first in the lowest bits of a byte.
 */
export class ResidualCodec {
  readonly codebook: Codebook;
  /** Packed bytes of a row. */
  readonly rowBytes: number;
  /** For each byte the weights of its components, one after another. */
  readonly #unpacked: Float32Array;
  readonly #perByte: number;

  constructor(codebook: Codebook) {
    const { dimension, bits, weights } = codebook;
    this.codebook = codebook;
    this.#perByte = 8 / bits;
    this.rowBytes = Math.ceil((dimension * bits) / 8);
    const mask = 2 ** bits - 1;
    this.#unpacked = new Float32Array(256 * this.#perByte);
    for (let i = 0; i < this.#unpacked.length; i++) {
      const byte = Math.floor(i / this.#perByte);
      this.#unpacked[i] = weights[(byte >> ((i % this.#perByte) * bits)) & mask];
    }
  }

  /** Packs rows whose centroids are known; `target` has {@link rowBytes} for each. */
  encode(rows: Float32Array, codes: ArrayLike<number>, target: Uint8Array): void {
    const { dimension, bits, centroids, cutoffs } = this.codebook;
    target.fill(0);
    for (let row = 0; row < codes.length; row++) {
      const centroid = codes[row] * dimension;
      for (let i = 0; i < dimension; i++) {
        const difference = rows[row * dimension + i] - centroids[centroid + i];
        let bucket = 0;
        while (bucket < cutoffs.length && difference > cutoffs[bucket]) bucket++;
        const bit = i * bits;
        target[row * this.rowBytes + (bit >> 3)] |= bucket << (bit & 7);
      }
    }
  }

  /** Rows again, of length 1. */
  decode(codes: ArrayLike<number>, packed: Uint8Array, target: Float32Array): void {
    const { dimension, centroids } = this.codebook;
    const perByte = this.#perByte;
    const unpacked = this.#unpacked;
    for (let row = 0; row < codes.length; row++) {
      const start = row * dimension;
      const centroid = codes[row] * dimension;
      let at = row * this.rowBytes;
      let squares = 0;
      for (let i = 0; i < dimension; at++) {
        const from = packed[at] * perByte;
        for (let j = 0; j < perByte && i < dimension; j++, i++) {
          const value = centroids[centroid + i] + unpacked[from + j];
          target[start + i] = value;
          squares += value * value;
        }
      }
      const factor = squares > 0 ? 1 / Math.sqrt(squares) : 0;
      for (let i = 0; i < dimension; i++) target[start + i] *= factor;
    }
  }
}

/** Rounds in which cutoffs and weights are moved; after these, hardly anything changes. */
const LLOYD_ROUNDS = 30;

/**
 * Buckets by the differences of rows from their centroids, pooled over all components, that make the squared error least (Lloyd 1982): a
 * bucket's mean stands for all that fall into it, and the cutoff between two lies in their middle. It starts from ColBERTv2's buckets, which
 * hold as many each and lose much at the ends.
 */
export function bucketsOf(differences: Float32Array, bits: TokenBits): Pick<Codebook, 'cutoffs' | 'weights'> {
  if (differences.length === 0) throw new NearmissError('buckets need rows to be made of, got none');
  const sorted = differences.toSorted();
  const sums = new Float64Array(sorted.length + 1);
  for (let i = 0; i < sorted.length; i++) sums[i + 1] = sums[i] + sorted[i];
  const count = 2 ** bits;
  const quantile = (share: number): number => Math.min(sorted.length - 1, Math.floor(share * sorted.length));
  /** Bucket `i` has the differences `starts[i] … starts[i + 1] - 1`. */
  const starts = Uint32Array.from({ length: count + 1 }, (_, i) =>
    i === count ? sorted.length : quantile(i / count),
  );
  const weights = Float32Array.from({ length: count }, (_, i) => sorted[quantile((i + 0.5) / count)]);
  const cutoffs = new Float32Array(count - 1);
  for (let round = 0; round < LLOYD_ROUNDS; round++) {
    for (let i = 0; i < count; i++) {
      const size = starts[i + 1] - starts[i];
      if (size > 0) weights[i] = (sums[starts[i + 1]] - sums[starts[i]]) / size;
    }
    for (let i = 0; i + 1 < count; i++) {
      cutoffs[i] = (weights[i] + weights[i + 1]) / 2;
      starts[i + 1] = firstAbove(sorted, cutoffs[i]);
    }
  }
  return { cutoffs, weights };
}

/** The place of the first number above a limit, in ascending ones. */
function firstAbove(sorted: Float32Array, limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
