import {
  emitOnnx,
  Graph,
  matmul,
  reduceMax,
  reshape,
  Session,
  type SessionOptions,
  toFloat,
} from '../../engine/index.js';
import { GROUP_SIZE, type ScoredBlock } from './best-scores.js';
import { BLOCK_ROWS, type RowFormat, type VectorBlock } from './vector-blocks.js';

/** Queries scored at once; their scores with one block are 16 MB. */
export const QUERY_ROWS = 512;

/** Where the scores of a block go; a search uses the same again and again. */
export interface ScoreBuffers {
  scores: Float32Array;
  maxima: Float32Array;
}

/** How many scores there are at most at a time. */
export function scoreBufferSize(queries: number, vectors: number): number {
  const width = Math.min(BLOCK_ROWS, Math.ceil(vectors / GROUP_SIZE) * GROUP_SIZE);
  return Math.min(queries, QUERY_ROWS) * width;
}

export function allocateScores(size: number): ScoreBuffers {
  return { scores: new Float32Array(size), maxima: new Float32Array(size / GROUP_SIZE) };
}

/**
 * Inner products of queries with a block of vectors, on the engine. It also gives the best score of each group of
 * neighbours, which spares the selection fifteen of sixteen looks; ONNX's own TopK takes longer than the product.
 */
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
    const vectors = storage === 'f16' ? toFloat(stored) : stored;
    const scores = matmul(queries, vectors, { transposeB: true });
    const maxima = reduceMax(reshape(scores, ['queries', 'groups', GROUP_SIZE]), { axes: [2] });
    const model = emitOnnx(graph, { outputs: { scores, maxima }, name: 'flat-search' });
    return new BlockScorer(dimension, await Session.create(model, options));
  }

  /** @param queries at most {@link QUERY_ROWS} of them */
  async score(queries: Float32Array, block: VectorBlock, buffers: ScoreBuffers): Promise<ScoredBlock> {
    const height = queries.length / this.#dimension;
    const width = block.data.length / this.#dimension;
    const groups = width / GROUP_SIZE;
    const scores = buffers.scores.subarray(0, height * width);
    const maxima = buffers.maxima.subarray(0, height * groups);
    await this.#session.run(
      {
        queries: { shape: [height, this.#dimension], data: queries },
        vectors: { shape: [width, this.#dimension], data: block.data },
      },
      {
        into: {
          scores: { shape: [height, width], data: scores },
          maxima: { shape: [height, groups], data: maxima },
        },
      },
    );
    return { scores, maxima, width, rows: block.rows, firstId: block.firstId };
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}
