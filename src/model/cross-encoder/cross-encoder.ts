import { Graph } from '../../engine/index.js';
import { batchCount, tokensAt } from '../../text/token-batch.js';
import type { TextPair } from '../../text/tokenizer.js';
import { type OnBatch, TextRows, type TextRowsOptions } from '../encoder/text-rows.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import type { UsedPrecision } from '../precision/precision.js';
import { buildCrossEncoder, FIRST_TOKEN } from './cross-encoder-graph.js';
import type { CrossEncoderModel } from './cross-encoder-model.js';

export type CrossEncoderOptions = TextRowsOptions;

export interface ScoreOptions {
  /** Told after each batch how many pairs and tokens it had. */
  onBatch?: OnBatch;
}

/**
 * A cross-encoder compiled for scoring: reads a query together with each document, as rerankers do.
 *
 * @example
 * const reranker = await CrossEncoder.create(await loadCrossEncoder('runs/reranker/best'));
 * const scores = await reranker.score('what causes anemia', ['Anemia has many causes …', 'A near miss is …']);
 * await reranker.release();
 */
export class CrossEncoder {
  readonly model: CrossEncoderModel;
  /** In which numbers it multiplies. */
  readonly precision: UsedPrecision;
  readonly #rows: TextRows;

  private constructor(model: CrossEncoderModel, rows: TextRows) {
    this.model = model;
    this.precision = rows.precision;
    this.#rows = rows;
  }

  /** Compiles the model with its present weights; later changes to them do not show. */
  static async create(model: CrossEncoderModel, options: CrossEncoderOptions = {}): Promise<CrossEncoder> {
    const { spec, parameters } = model;
    const graph = new Graph();
    const { scores: rows } = buildCrossEncoder(graph, spec, { groups: 1, inference: true });
    const shape = { config: spec.config, representation: FIRST_TOKEN, size: 1 } as const;
    return new CrossEncoder(model, await TextRows.compile({ graph, rows, parameters, ...shape }, options));
  }

  /** The score of each text for a query; higher is more relevant. Scores of other models do not compare. */
  score(query: string, texts: readonly string[], options: ScoreOptions = {}): Promise<Float32Array> {
    return this.scorePairs(
      texts.map((text) => [query, text]),
      options,
    );
  }

  /** The same for pairs of any queries: pairs of similar length are scored together. */
  async scorePairs(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    const { tokenizer, maxLength } = this.model;
    const batch = await tokenizer.encodePairs(pairs, { maxLength });
    const read = Array.from({ length: batchCount(batch) }, (_, i) => ({
      ids: tokensAt(batch, i),
      types: batch.typeIds.subarray(batch.offsets[i], batch.offsets[i + 1]),
    }));
    return this.scoreTokens(read, options);
  }

  /** The same for pairs already tokenised. */
  async scoreTokens(pairs: readonly TokenizedText[], { onBatch }: ScoreOptions = {}): Promise<Float32Array> {
    return (await this.#rows.of(pairs, onBatch)).vectors;
  }

  async release(): Promise<void> {
    await this.#rows.release();
  }
}
