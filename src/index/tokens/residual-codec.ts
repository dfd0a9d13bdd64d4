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

/**
 * Buckets by the differences of rows from their centroids, pooled over all components: as many fall into each, and its
 * middle one stands for all.
 */
export function bucketsOf(differences: Float32Array, bits: TokenBits): Pick<Codebook, 'cutoffs' | 'weights'> {
  if (differences.length === 0) throw new NearmissError('buckets need rows to be made of, got none');
  const sorted = differences.toSorted();
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const count = 2 ** bits;
  return {
    cutoffs: Float32Array.from({ length: count - 1 }, (_, i) => quantile((i + 1) / count)),
    weights: Float32Array.from({ length: count }, (_, i) => quantile((i + 0.5) / count)),
  };
}
