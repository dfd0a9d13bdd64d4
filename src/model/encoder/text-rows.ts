import { NearmissError } from '../../base/errors.js';
import { findNotFinite } from '../../base/numbers/finite.js';
import {
  compile,
  type Graph,
  type ParameterStore,
  type Session,
  type SessionOptions,
  signedProductsAreExact,
  type Value,
} from '../../engine/index.js';
import { choosePrecision } from '../precision/choose-precision.js';
import type { EncodingSession, UsedPrecision } from '../precision/precision.js';
import {
  type Representation,
  readAs,
  rowOffsets,
  weighsVocabulary,
} from '../representation/representation.js';
import { TERM_ROW, weighingTerms } from '../scorer/impact.js';
import type { EncoderConfig } from './config.js';
import { type EncodedTexts, stackRows } from './encoded-texts.js';
import { encoderFeeds } from './encoder-graph.js';
import { batchByTokens, packBatch } from './packed-batch.js';
import type { TokenizedText } from './tokenized-texts.js';

export interface TextRowsOptions {
  session?: EncodingSession;
  /** Padded tokens encoded at once. Default 1024: what a layer makes of them still fits in a core's cache. */
  tokenBudget?: number;
}

/** Told after each batch how many texts and tokens it had. */
export type OnBatch = (done: { texts: number; tokens: number }) => void;

/** A graph over one length group whose output is one or many rows of `size` numbers for each text. */
export interface RowGraph {
  graph: Graph;
  /** [rows, size]: those of each text that `representation` says, text by text. */
  rows: Value;
  size: number;
  parameters: ParameterStore;
  config: EncoderConfig;
  representation: Representation;
}

/** Measured: 4096 is 15 to 20 % slower (docs/engine.md). */
const DEFAULT_TOKEN_BUDGET = 1024;

/** A model compiled with its weights inside: tokens of any number of texts in, rows of numbers out. */
export class TextRows {
  readonly precision: UsedPrecision;
  /** Why this precision, where it was chosen by measuring. */
  readonly precisionReason: string | undefined;
  readonly #session: Session;
  readonly #size: number;
  readonly #tokenBudget: number;
  readonly #packing: {
    groups: 1;
    representation: Representation;
    padTokenId: number;
    positionOffset: number;
  };

  private constructor(
    session: Session,
    model: RowGraph,
    { tokenBudget, precision, reason }: { tokenBudget: number; precision: UsedPrecision; reason?: string },
  ) {
    this.precision = precision;
    this.precisionReason = reason;
    const { padTokenId, positionOffset } = model.config;
    const { representation } = model;
    this.#session = session;
    this.#size = model.size;
    this.#tokenBudget = tokenBudget;
    this.#packing = { groups: 1, representation, padTokenId, positionOffset };
  }

  static async compile(model: RowGraph, options: TextRowsOptions = {}): Promise<TextRows> {
    const { session, tokenBudget = DEFAULT_TOKEN_BUDGET } = options;
    const { precision = 'fp32' } = session ?? {};
    const make = async (precision: UsedPrecision): Promise<TextRows> =>
      new TextRows(await compileAs(precision, model, session), model, { tokenBudget, precision });
    if (precision !== 'auto') return make(precision);
    const { rows, ...chosen } = await choosePrecision(make, { config: model.config, session });
    return new TextRows(rows.#session, model, { tokenBudget, ...chosen });
  }

  /** The rows of texts in their order, one after another; texts of similar length are computed together. */
  async of(given: readonly TokenizedText[], onBatch?: OnBatch): Promise<EncodedTexts> {
    const { representation } = this.#packing;
    const texts = given.map((text) => readAs(representation, text));
    const lengths = texts.map((text) => text.ids.length);
    if (weighsVocabulary(representation)) return this.#terms(texts, onBatch);
    const offsets = rowOffsets(representation, texts);
    const encoded = { vectors: new Float32Array(offsets[texts.length] * this.#size), offsets };
    for (const members of batchByTokens(lengths, { tokenBudget: this.#tokenBudget })) {
      const tokens = await this.#batch(members, texts, encoded);
      onBatch?.({ texts: members.length, tokens });
    }
    this.#checkRows(encoded);
    return encoded;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  /** The words that texts weigh above 0, a batch at a time: rows of the whole vocabulary are forgotten at once. */
  async #terms(texts: readonly TokenizedText[], onBatch?: OnBatch): Promise<EncodedTexts> {
    const terms = new Array<Float32Array>(texts.length);
    const lengths = texts.map(({ ids }) => ids.length);
    for (const members of batchByTokens(lengths, { tokenBudget: this.#tokenBudget })) {
      const given = members.map((member) => texts[member]);
      const packed = packBatch(given, this.#packing);
      const made = (await this.#session.run(encoderFeeds(packed))).rows.data as Float32Array;
      this.#checkRows({ vectors: made, offsets: packed.rowOffsets });
      packed.order.forEach((member, place) => {
        terms[members[member]] = weighingTerms(made.subarray(place * this.#size, (place + 1) * this.#size));
      });
      onBatch?.({ texts: members.length, tokens: packed.tokenCount });
    }
    return stackRows(terms, TERM_ROW);
  }

  #checkRows({ vectors, offsets }: EncodedTexts): void {
    const wrong = findNotFinite(vectors);
    if (wrong < 0) return;
    const row = Math.floor(wrong / this.#size);
    const text = offsets.findLastIndex((first) => first <= row) + 1;
    throw new NearmissError(
      `the model gives ${vectors[wrong]} for text ${text} of ${offsets.length - 1}, expected finite numbers`,
      {
        hint: 'its weights have diverged or overflow: take another checkpoint, or train with a smaller learning rate',
      },
    );
  }

  async #batch(
    members: number[],
    texts: readonly TokenizedText[],
    { vectors, offsets }: EncodedTexts,
  ): Promise<number> {
    const packed = packBatch(
      members.map((member) => texts[member]),
      this.#packing,
    );
    const result = await this.#session.run(encoderFeeds(packed));
    const made = result.rows.data as Float32Array;
    const size = this.#size;
    packed.order.forEach((member, place) => {
      const [first, end] = [packed.rowOffsets[place], packed.rowOffsets[place + 1]];
      vectors.set(made.subarray(first * size, end * size), offsets[members[member]] * size);
    });
    return packed.tokenCount;
  }
}

async function compileAs(
  precision: UsedPrecision,
  { graph, rows, parameters }: RowGraph,
  session: SessionOptions | undefined,
): Promise<Session> {
  const compiled = { outputs: { rows }, parameters, session };
  if (precision === 'fp32') return compile(graph, compiled);
  const { provider = 'cpu' } = session ?? {};
  if (provider !== 'cpu') {
    throw new NearmissError(`precision int8: expected the provider cpu, got ${provider}`, {
      hint: 'encode in fp32 there, or leave --provider out',
    });
  }
  return compile(graph, {
    ...compiled,
    quantize: { parameter: isLayerMatrix, signed: await signedProductsAreExact() },
  });
}

/** Heads stay as they are: they are a small part of the work and the last to be rounded. */
function isLayerMatrix(name: string): boolean {
  return /^encoder\..*\.(dense|query|key|value)\.weight$/.test(name);
}
