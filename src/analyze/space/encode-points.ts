import type { SessionOptions } from '../../engine/index.js';
import { onlyRows } from '../../model/encoder/encoded-texts.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder, rowsOf } from '../../model/index.js';
import type { Side } from '../../model/side.js';
import { modelFolder } from '../../run/model-folder.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { bestRow } from '../best-row.js';
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
    return onlyRows(await this.#queries.encodeTokens(await this.#data.queries.texts([number])));
  }

  /** The query's vector, then of each document the row that scores best. */
  async points(query: number, documents: readonly number[]): Promise<EncodedPoints> {
    const { dimension } = this.#documents;
    const encoded = await this.#documents.encodeTokens(await this.#data.documents.texts(documents));
    const vector = await this.query(query);
    const vectors = new Float32Array((documents.length + 1) * dimension);
    const scores = new Float64Array(documents.length);
    vectors.set(vector);
    documents.forEach((_, i) => {
      const { row, score } = bestRow(vector, rowsOf(encoded, i));
      scores[i] = score;
      vectors.set(row, (i + 1) * dimension);
    });
    return { vectors, dimension, scores };
  }

  async close(): Promise<void> {
    await this.#queries.release();
    await this.#documents.release();
  }
}
