import { emitOnnx, Graph, matmul, Session, type SessionOptions, toFloat, topK } from '../../engine/index.js';
import type { BlockRanking } from './merge-ranking.js';
import type { RowFormat, VectorBlock } from './vector-blocks.js';

/** Room for the scores of some queries with a block; more does not multiply faster. */
const SCORE_BYTES = 64 * 2 ** 20;

/** Ranks a block of vectors for some queries on the engine: one matrix product and a selection. */
export class BlockScorer {
  readonly #dimension: number;
  readonly #session: Session;

  private constructor(dimension: number, session: Session) {
    this.#dimension = dimension;
    this.#session = session;
  }

  static async create({ dimension, storage }: RowFormat, options: SessionOptions): Promise<BlockScorer> {
    const graph = new Graph();
    const queries = graph.input('queries', ['queries', dimension]);
    const stored = graph.input('vectors', ['rows', dimension], storage === 'f16' ? 'float16' : 'float32');
    const count = graph.input('count', [1], 'int64');
    const vectors = storage === 'f16' ? toFloat(stored) : stored;
    const { values, indices } = topK(matmul(queries, vectors, { transposeB: true }), count, 'count');
    const model = emitOnnx(graph, { outputs: { scores: values, indices }, name: 'flat-search' });
    return new BlockScorer(dimension, await Session.create(model, options));
  }

  /** How many queries to rank at once for blocks of so many rows. */
  static queriesAtOnce(rows: number): number {
    return Math.max(16, Math.min(512, Math.floor(SCORE_BYTES / (4 * rows))));
  }

  async rank(queries: Float32Array, block: VectorBlock, k: number): Promise<BlockRanking> {
    const length = Math.min(k, block.rows);
    const { scores, indices } = await this.#session.run({
      queries: { shape: [queries.length / this.#dimension, this.#dimension], data: queries },
      vectors: { shape: [block.rows, this.#dimension], data: block.data },
      count: { shape: [1], data: BigInt64Array.of(BigInt(length)) },
    });
    return {
      length,
      scores: scores.data as Float32Array,
      indices: indices.data as Int32Array,
      firstId: block.firstId,
    };
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
