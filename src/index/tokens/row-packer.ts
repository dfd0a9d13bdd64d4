import type { SessionOptions } from '../../engine/index.js';
import { type Assigner, openAssigner } from '../clusters/spherical-k-means.js';
import { type Codebook, ResidualCodec } from './residual-codec.js';

/** Rows as they are kept. */
export interface PackedRows {
  /** The centroid of each. */
  codes: ArrayLike<number>;
  /** What they differ from it by. */
  residuals: Uint8Array;
}

/** Compresses rows by a codebook that is known. */
export class RowPacker {
  readonly #codec: ResidualCodec;
  readonly #assigner: Assigner;

  private constructor(codec: ResidualCodec, assigner: Assigner) {
    this.#codec = codec;
    this.#assigner = assigner;
  }

  static async open(codebook: Codebook, session?: SessionOptions): Promise<RowPacker> {
    return new RowPacker(new ResidualCodec(codebook), await openAssigner(codebook.dimension, session));
  }

  async pack(rows: Float32Array): Promise<PackedRows> {
    const { places } = await this.#assigner.assign(rows, this.#codec.codebook.centroids);
    const residuals = new Uint8Array(places.length * this.#codec.rowBytes);
    this.#codec.encode(rows, places, residuals);
    return { codes: places, residuals };
  }

  async release(): Promise<void> {
    await this.#assigner.release();
  }
}
