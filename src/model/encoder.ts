import { emitOnnx, Graph, Session, type SessionOptions } from '../engine/index.js';
import { type TokenBatch, tokensAt } from '../text/token-batch.js';
import { buildEncoder, embeddingSize, encoderFeeds } from './encoder-graph.js';
import { type EncoderModel, prepareText } from './encoder-model.js';
import { batchByTokens, packBatch, type TokenizedText } from './packed-batch.js';

export interface EncoderOptions {
  session?: SessionOptions;
  /** Padded tokens encoded at once. Default 1024: what a layer makes of them still fits in a core's cache. */
  tokenBudget?: number;
}

export interface EncodeOptions {
  /** Which of the model's prompts to put before each text, e.g. `query` or `document`. */
  use?: string;
  /** Told after each batch how many texts and tokens it had. */
  onBatch?: (done: { texts: number; tokens: number }) => void;
}

/** Measured: 4096 is 15 to 20 % slower (docs/engine.md). */
const DEFAULT_TOKEN_BUDGET = 1024;

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
  readonly #session: Session;
  readonly #tokenBudget: number;

  private constructor(model: EncoderModel, session: Session, tokenBudget: number) {
    this.model = model;
    this.dimension = embeddingSize(model.spec);
    this.#session = session;
    this.#tokenBudget = tokenBudget;
  }

  /** Compiles the model with its present weights; later changes to them do not show. */
  static async create(model: EncoderModel, options: EncoderOptions = {}): Promise<Encoder> {
    const graph = new Graph();
    const { embeddings } = buildEncoder(graph, model.spec, { groups: 1, inference: true });
    const weights = (name: string): Float32Array => model.parameters.get(name);
    const session = await Session.create(
      emitOnnx(graph, { outputs: { embeddings }, weights }),
      options.session,
    );
    return new Encoder(model, session, options.tokenBudget ?? DEFAULT_TOKEN_BUDGET);
  }

  /** Texts as the model reads them: prompt before, lowercase if it wants that, cut to its length. */
  tokenize(texts: readonly string[], use?: string): Promise<TokenBatch> {
    const { tokenizer, maxLength } = this.model;
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

  /** The same for texts already tokenised. Texts of similar length are encoded together. */
  async encodeTokens(
    texts: readonly TokenizedText[],
    options: Pick<EncodeOptions, 'onBatch'> = {},
  ): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimension);
    const lengths = texts.map((text) => text.ids.length);
    for (const members of batchByTokens(lengths, { tokenBudget: this.#tokenBudget })) {
      const tokens = await this.#encodeBatch(members, texts, vectors);
      options.onBatch?.({ texts: members.length, tokens });
    }
    return vectors;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  async #encodeBatch(
    members: number[],
    texts: readonly TokenizedText[],
    vectors: Float32Array,
  ): Promise<number> {
    const { config, head } = this.model.spec;
    const packed = packBatch(
      members.map((member) => texts[member]),
      {
        groups: 1,
        pooling: head.pooling,
        padTokenId: config.padTokenId,
        positionOffset: config.positionOffset,
      },
    );
    const { embeddings } = await this.#session.run(encoderFeeds(packed));
    const rows = embeddings.data as Float32Array;
    packed.order.forEach((member, row) => {
      const vector = rows.subarray(row * this.dimension, (row + 1) * this.dimension);
      vectors.set(vector, members[member] * this.dimension);
    });
    return packed.tokenCount;
  }
}
