import { Graph } from '../../engine/index.js';
import { lengthOfPieces, type SplitTokensOptions, splitTokens } from '../../text/split-tokens.js';
import { batchCount, type TokenBatch, tokensAt } from '../../text/token-batch.js';
import { buildEncoder, embeddingSize } from './encoder-graph.js';
import { type EncoderModel, prepareText } from './encoder-model.js';
import type { TokenizedText } from './packed-batch.js';
import { type OnBatch, TextRows, type TextRowsOptions } from './text-rows.js';

export type EncoderOptions = TextRowsOptions;

export interface EncodeOptions {
  /** Which of the model's prompts to put before each text, e.g. `query` or `document`. */
  use?: string;
  /** Told after each batch how many texts and tokens it had. */
  onBatch?: OnBatch;
}

/**
 * A model compiled for encoding: texts in, vectors out.
 *
 * @example
 * const encoder = await Encoder.create(await loadEncoderModel('minilm'));
 * const vectors = await encoder.encode(['near miss', 'close call']);
 * await encoder.release();
 */
export class Encoder {
  readonly model: EncoderModel;
  /** Numbers in a vector. */
  readonly dimension: number;
  readonly #rows: TextRows;

  private constructor(model: EncoderModel, rows: TextRows) {
    this.model = model;
    this.dimension = embeddingSize(model.spec);
    this.#rows = rows;
  }

  /** Compiles the model with its present weights; later changes to them do not show. */
  static async create(model: EncoderModel, options: EncoderOptions = {}): Promise<Encoder> {
    const graph = new Graph();
    const { embeddings } = buildEncoder(graph, model.spec, { groups: 1, inference: true });
    const { spec, parameters } = model;
    const shape = { config: spec.config, pooling: spec.head.pooling, size: embeddingSize(spec) };
    return new Encoder(
      model,
      await TextRows.compile({ graph, rows: embeddings, parameters, ...shape }, options),
    );
  }

  /** Texts as the model reads them: prompt before, lowercase if it wants that, cut to its length. */
  tokenize(texts: readonly string[], use?: string, maxLength = this.model.maxLength): Promise<TokenBatch> {
    const { tokenizer } = this.model;
    return tokenizer.encodeBatch(
      texts.map((text) => prepareText(this.model, text, use)),
      { maxLength },
    );
  }

  /** The vectors of `texts`, one row of {@link Encoder.dimension} numbers after another. */
  async encode(texts: readonly string[], options: EncodeOptions = {}): Promise<Float32Array> {
    const tokens = await this.tokenize(texts, options.use);
    const views = texts.map((_, i) => ({ ids: tokensAt(tokens, i) }));
    return this.encodeTokens(views, options);
  }

  /** The vectors of the pieces of each text, as MaxP reads it; those of text `i` start at `pieceOffsets[i]`. */
  async encodePieces(
    texts: readonly string[],
    split: SplitTokensOptions,
    options: EncodeOptions = {},
  ): Promise<{ vectors: Float32Array; pieceOffsets: Uint32Array }> {
    const pieces = splitTokens(await this.tokenize(texts, options.use, lengthOfPieces(split)), split);
    const views = Array.from({ length: batchCount(pieces) }, (_, i) => ({ ids: tokensAt(pieces, i) }));
    return { vectors: await this.encodeTokens(views, options), pieceOffsets: pieces.pieceOffsets };
  }

  /** The same for texts already tokenised. Texts of similar length are encoded together. */
  encodeTokens(
    texts: readonly TokenizedText[],
    options: Pick<EncodeOptions, 'onBatch'> = {},
  ): Promise<Float32Array> {
    return this.#rows.of(texts, options.onBatch);
  }

  async release(): Promise<void> {
    await this.#rows.release();
  }
}
