import { Graph } from '../../engine/index.js';
import { lengthOfPieces, type SplitTokensOptions, splitTokens } from '../../text/split-tokens.js';
import type { TokenBatch } from '../../text/token-batch.js';
import type { UsedPrecision } from '../precision/precision.js';
import { representationOf } from '../representation/kinds.js';
import { checkOffsets, type EncodedTexts } from './encoded-texts.js';
import { buildEncoder, embeddingSize } from './encoder-graph.js';
import { type EncoderModel, prepareText } from './encoder-model.js';
import { type OnBatch, TextRows, type TextRowsOptions } from './text-rows.js';
import { type TokenizedTexts, tokenizedTexts } from './tokenized-texts.js';

export type EncoderOptions = TextRowsOptions;

export interface EncodeOptions {
  /** Which of the model's prompts to put before each text, e.g. `query` or `document`. */
  use?: string;
  /** Reads each text in pieces (MaxP). Default: as a whole, cut to the model's length. */
  split?: SplitTokensOptions;
  /** Told after each batch how many texts and tokens it had. */
  onBatch?: OnBatch;
}

/**
 * A model compiled for encoding: texts in, rows of numbers out.
 *
 * @example
 * const encoder = await Encoder.create(await loadEncoderModel('minilm'));
 * const { vectors } = await encoder.encode(['near miss', 'close call']);
 * await encoder.release();
 */
export class Encoder {
  readonly model: EncoderModel;
  /** Numbers in a row. */
  readonly dimension: number;
  /** In which numbers it multiplies. */
  readonly precision: UsedPrecision;
  /** Why, where that was chosen by measuring. */
  readonly precisionReason: string | undefined;
  readonly #rows: TextRows;

  private constructor(model: EncoderModel, rows: TextRows) {
    this.model = model;
    this.dimension = embeddingSize(model.spec);
    this.precision = rows.precision;
    this.precisionReason = rows.precisionReason;
    this.#rows = rows;
  }

  /** Compiles the model with its present weights; later changes to them do not show. */
  static async create(model: EncoderModel, options: EncoderOptions = {}): Promise<Encoder> {
    const graph = new Graph();
    const { embeddings } = buildEncoder(graph, model.spec, { groups: 1, inference: true });
    const { spec, parameters } = model;
    const representation = representationOf(spec.head);
    const shape = { config: spec.config, representation, size: embeddingSize(spec), rowsOf: () => 1 };
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

  /** The rows of `texts`: one for each, or one for each piece. */
  async encode(texts: readonly string[], options: EncodeOptions = {}): Promise<EncodedTexts> {
    return this.encodeTokens(await this.#read(texts, options), options);
  }

  /** The same for texts already tokenised. Pieces of similar length are encoded together. */
  async encodeTokens(
    { texts, offsets }: TokenizedTexts,
    options: Pick<EncodeOptions, 'onBatch'> = {},
  ): Promise<EncodedTexts> {
    checkOffsets(offsets, { rows: texts.length });
    const pieces = await this.#rows.of(texts, options.onBatch);
    return { ...pieces, offsets: Uint32Array.from(offsets, (piece) => pieces.offsets[piece]) };
  }

  async release(): Promise<void> {
    await this.#rows.release();
  }

  async #read(texts: readonly string[], { use, split }: EncodeOptions): Promise<TokenizedTexts> {
    if (!split) return tokenizedTexts(await this.tokenize(texts, use));
    const pieces = splitTokens(await this.tokenize(texts, use, lengthOfPieces(split)), split);
    return tokenizedTexts(pieces, pieces.pieceOffsets);
  }
}
