import { NearmissError } from '../../base/errors.js';
import type { VectorIndexMetadata } from './vector-index.js';

/** How far a vector's length may be from 1 for it to count as normalised. */
const UNIT_TOLERANCE = 1e-3;

/**
 * Keeps the first numbers of vectors, for models that were trained so that these say most (Matryoshka). Where the first
 * vectors that come have length 1, what is kept of all is made length 1 again, so that scores stay cosines.
 */
export class VectorCut {
  /** Numbers of a vector as it comes. */
  readonly dimension: number;
  /** How many of them are kept. */
  readonly kept: number;
  #normalizes: boolean | undefined;

  constructor(dimension: number, kept = dimension, normalizes?: boolean) {
    if (!Number.isInteger(kept) || kept < 1 || kept > dimension) {
      throw new NearmissError(`dimensions: expected an integer from 1 to ${dimension}, got ${kept}`, {
        hint: `the vectors have ${dimension} numbers each`,
      });
    }
    this.dimension = dimension;
    this.kept = kept;
    this.#normalizes = normalizes;
  }

  /** As an index was made with it. */
  static of({ dimension, parameters }: Pick<VectorIndexMetadata, 'dimension' | 'parameters'>): VectorCut {
    return new VectorCut(dimension, parameters.dimensions, parameters.normalizes === 1);
  }

  /** What the metadata of an index says of it: nothing where all is kept. */
  get parameters(): Record<string, number> {
    if (this.kept === this.dimension) return {};
    return { dimensions: this.kept, normalizes: this.#normalizes ? 1 : 0 };
  }

  /** Looks at vectors that will be cut later: the first decide whether what is kept is normalised. */
  see(vectors: Float32Array): void {
    if (this.kept === this.dimension || vectors.length === 0) return;
    this.#normalizes ??= haveUnitLength(vectors, this.dimension);
  }

  /** The kept parts, one after another; the vectors themselves where all is kept. */
  apply(vectors: Float32Array): Float32Array {
    const { dimension, kept } = this;
    if (kept === dimension || vectors.length === 0) return vectors;
    this.see(vectors);
    const rows = vectors.length / dimension;
    const parts = new Float32Array(rows * kept);
    for (let row = 0; row < rows; row++) {
      const part = parts.subarray(row * kept, (row + 1) * kept);
      part.set(vectors.subarray(row * dimension, row * dimension + kept));
      const length = this.#normalizes ? Math.hypot(...part) : 0;
      if (length > 0) for (let i = 0; i < kept; i++) part[i] /= length;
    }
    return parts;
  }
}

function haveUnitLength(vectors: Float32Array, dimension: number): boolean {
  for (let start = 0; start < vectors.length; start += dimension) {
    const length = Math.hypot(...vectors.subarray(start, start + dimension));
    if (Math.abs(length - 1) > UNIT_TOLERANCE) return false;
  }
  return true;
}
