import { innerProduct } from '../../base/inner-product.js';
import type { SessionOptions } from '../../engine/index.js';
import { loadSide, type Side } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { modelFolder } from '../../train/refresh/refresh.js';
import type { VectorTable } from './distances.js';

export interface PointEncoderOptions {
  run: RunDirectory;
  step: number;
  data: TrainingData;
  session: SessionOptions;
}

/** A query and documents as one checkpoint encodes them. */
export interface EncodedPoints extends VectorTable {
  /** Of the documents for the query, as the model ranks them. */
  scores: Float64Array;
}

/** Encodes few points with one checkpoint, whatever the run's index kept of them. */
export class PointEncoder {
  readonly step: number;
  readonly #data: TrainingData;
  readonly #queries: Encoder;
  readonly #documents: Encoder;

  private constructor(step: number, data: TrainingData, queries: Encoder, documents: Encoder) {
    this.step = step;
    this.#data = data;
    this.#queries = queries;
    this.#documents = documents;
  }

  static async open({ run, step, data, session }: PointEncoderOptions): Promise<PointEncoder> {
    const folder = await modelFolder(run, step);
    const create = async (side: Side): Promise<Encoder> =>
      Encoder.create(await loadSide(folder, side), { session });
    return new PointEncoder(step, data, await create('queries'), await create('documents'));
  }

  async query(number: number): Promise<Float32Array> {
    const { texts } = await this.#data.queries.texts([number]);
    return this.#queries.encodeTokens(texts);
  }

  /** The query's vector, then one of each document: of several pieces (MaxP) the one that scores best. */
  async points(query: number, documents: readonly number[]): Promise<EncodedPoints> {
    const { dimension } = this.#documents;
    const { texts, offsets } = await this.#data.documents.texts(documents);
    const pieces = await this.#documents.encodeTokens(texts);
    const vector = await this.query(query);
    const vectors = new Float32Array((documents.length + 1) * dimension);
    const scores = new Float64Array(documents.length).fill(Number.NEGATIVE_INFINITY);
    vectors.set(vector);
    documents.forEach((_, i) => {
      for (let piece = offsets[i]; piece < offsets[i + 1]; piece++) {
        const score = innerProduct(vector, pieces, piece * dimension);
        if (score <= scores[i]) continue;
        scores[i] = score;
        vectors.set(pieces.subarray(piece * dimension, (piece + 1) * dimension), (i + 1) * dimension);
      }
    });
    return { vectors, dimension, scores };
  }

  async close(): Promise<void> {
    await this.#queries.release();
    await this.#documents.release();
  }
}
