import { Graph } from '../../engine/index.js';
import { lengthOfPieces, type SplitTokensOptions, splitTokens } from '../../text/split-tokens.js';
import type { TokenBatch } from '../../text/token-batch.js';
import type { UsedPrecision } from '../precision/precision.js';
import { isSided, representationOf } from '../representation/kinds.js';
import { readAs } from '../representation/representation.js';
import { SIDES, type Side } from '../side.js';
import { checkOffsets, type EncodedTexts } from './encoded-texts.js';
import { buildEncoder, embeddingSize, keptSize } from './encoder-graph.js';
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

export interface EncodeTokensOptions extends Pick<EncodeOptions, 'onBatch'> {
  /** Whose texts they are. Default: those that the model was loaded for, and else documents. */
  side?: Side;
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
  /** Numbers in a row as it is kept. */
  readonly dimension: number;
  /** In which numbers it multiplies. */
  readonly precision: UsedPrecision;
  /** Why, where that was chosen by measuring. */
  readonly precisionReason: string | undefined;
  /** By side, where the model represents queries and documents differently; one that serves both elsewhere. */
  readonly #rows: Partial<Record<Side, TextRows>>;

  private constructor(model: EncoderModel, rows: Partial<Record<Side, TextRows>>) {
    this.model = model;
    this.dimension = keptSize(model.spec);
    const { precision, precisionReason } = (rows.documents ?? rows.queries)!;
    this.precision = precision;
    this.precisionReason = precisionReason;
    this.#rows = rows;
  }

  /** Compiles the model with its present weights; later changes to them do not show. */
  static async create(model: EncoderModel, options: EncoderOptions = {}): Promise<Encoder> {
    if (!isSided(model.spec.head)) {
      const rows = await compileSide(model, 'documents', options);
      return new Encoder(model, { queries: rows, documents: rows });
    }
    const sides: readonly Side[] = model.side ? [model.side] : SIDES;
    const rows: Partial<Record<Side, TextRows>> = {};
    for (const side of sides) rows[side] = await compileSide(model, side, options);
    return new Encoder(model, rows);
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
    const { use, onBatch } = options;
    const side = use === 'query' ? 'queries' : use === 'document' ? 'documents' : undefined;
    return this.encodeTokens(await this.#read(texts, options), { side, onBatch });
  }

  /** The same for texts already tokenised. Pieces of similar length are encoded together. */
  async encodeTokens(
    { texts, offsets }: TokenizedTexts,
    { side, onBatch }: EncodeTokensOptions = {},
  ): Promise<EncodedTexts> {
    checkOffsets(offsets, { rows: texts.length });
    const pieces = await this.#rowsOf(side).of(texts, onBatch);
    return { ...pieces, offsets: Uint32Array.from(offsets, (piece) => pieces.offsets[piece]) };
  }

  /** The tokens of texts as a side of the model reads them, and those that their rows are; of models whose rows are tokens. */
  async readTokens(
    texts: readonly string[],
    use: 'query' | 'document',
  ): Promise<{ tokens: string[]; rows: number[] }[]> {
    const { spec, tokenizer } = this.model;
    const representation = representationOf(spec.head, use === 'query' ? 'queries' : 'documents');
    const { texts: read } = tokenizedTexts(await this.tokenize(texts, use));
    return read.map((text) => {
      const seen = readAs(representation, text);
      const tokens = Array.from(seen.ids, (id) => tokenizer.token(id) ?? '');
      return { tokens, rows: 'tokens' in representation ? Array.from(representation.tokens(seen)) : [] };
    });
  }

  async release(): Promise<void> {
    for (const rows of new Set(Object.values(this.#rows))) await rows.release();
  }

  #rowsOf(side: Side = this.model.side ?? 'documents'): TextRows {
    const rows = this.#rows[side];
    if (rows) return rows;
    throw new Error(`${this.model.name}: was loaded for ${this.model.side} and cannot encode ${side}`);
  }

  async #read(texts: readonly string[], { use, split }: EncodeOptions): Promise<TokenizedTexts> {
    if (!split) return tokenizedTexts(await this.tokenize(texts, use));
    const pieces = splitTokens(await this.tokenize(texts, use, lengthOfPieces(split)), split);
    return tokenizedTexts(pieces, pieces.pieceOffsets);
  }
}

async function compileSide(model: EncoderModel, side: Side, options: EncoderOptions): Promise<TextRows> {
  const { spec, parameters } = model;
  const graph = new Graph();
  const { embeddings } = buildEncoder(graph, spec, { groups: 1, inference: true, side });
  const representation = representationOf(spec.head, side);
  const shape = { config: spec.config, representation, size: embeddingSize(spec) };
  return TextRows.compile({ graph, rows: embeddings, parameters, ...shape }, options);
}
