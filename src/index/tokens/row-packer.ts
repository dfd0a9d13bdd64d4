import type { SessionOptions } from '../../engine/index.js';
import { type Assigner, openAssigner } from '../clusters/spherical-k-means.js';
import { type Codebook, ResidualCodec } from './residual-codec.js';
import { RowProducts } from './row-products.js';

/** Rows as they are kept. */
export interface PackedRows {
  /** The centroid of each, and how long it is. */
  codes: Uint32Array;
  /** What they differ from it by. */
  residuals: Uint8Array;
}

/** Compresses rows by a codebook that is known. */
export class RowPacker {
  readonly #codec: ResidualCodec;
  readonly #assigner: Assigner;
  readonly #products: RowProducts;

  private constructor(codec: ResidualCodec, assigner: Assigner, products: RowProducts) {
    this.#codec = codec;
    this.#assigner = assigner;
    this.#products = products;
  }

  static async open(codebook: Codebook, session?: SessionOptions): Promise<RowPacker> {
    const { dimension } = codebook;
    return new RowPacker(
      new ResidualCodec(codebook),
      await openAssigner(dimension, session),
      await RowProducts.open(dimension, session),
    );
  }

  async pack(rows: Float32Array): Promise<PackedRows> {
    const { directions, centroids } = this.#codec.codebook;
    const turned = await this.#products.of(rows, directions);
    const { places } = await this.#assigner.assign(turned, centroids);
    const residuals = new Uint8Array(places.length * this.#codec.rowBytes);
    return { codes: this.#codec.encode(turned, places, residuals), residuals };
  }

  async release(): Promise<void> {
    await this.#products.release();
    await this.#assigner.release();
  }
}
