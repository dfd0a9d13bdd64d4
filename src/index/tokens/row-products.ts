import { emitOnnx, Graph, matmul, Session, type SessionOptions, toFloat } from '../../engine/index.js';

/** Inner products of rows on the engine. */
export class RowProducts {
  readonly #session: Session;
  readonly #dimension: number;

  private constructor(session: Session, dimension: number) {
    this.#session = session;
    this.#dimension = dimension;
  }

  /** @param half whether the first rows come in half precision */
  static async open(
    dimension: number,
    options: SessionOptions & { half?: boolean } = {},
  ): Promise<RowProducts> {
    const { half, ...session } = options;
    const graph = new Graph();
    const stored = graph.input('a', ['rows', dimension], half ? 'float16' : 'float32');
    const b = graph.input('b', ['others', dimension]);
    const products = matmul(half ? toFloat(stored) : stored, b, { transposeB: true });
    return new RowProducts(
      await Session.create(emitOnnx(graph, { outputs: { products } }), session),
      dimension,
    );
  }

  /** [rows of a, rows of b], row by row. */
  async of(a: Float32Array | Uint16Array, b: Float32Array): Promise<Float32Array> {
    const { products } = await this.#session.run({
      a: { shape: [a.length / this.#dimension, this.#dimension], data: a },
      b: { shape: [b.length / this.#dimension, this.#dimension], data: b },
    });
    return products.data as Float32Array;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
