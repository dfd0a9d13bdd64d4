import { NearmissError } from '../../base/errors.js';
import { findNotFinite } from '../../base/finite.js';
import {
  compile,
  type Graph,
  type ParameterStore,
  type Session,
  type SessionOptions,
  type Value,
} from '../../engine/index.js';
import type { EncoderConfig } from './config.js';
import { encoderFeeds, type HeadConfig } from './encoder-graph.js';
import { batchByTokens, packBatch, type TokenizedText } from './packed-batch.js';

export interface TextRowsOptions {
  session?: SessionOptions;
  /** Padded tokens encoded at once. Default 1024: what a layer makes of them still fits in a core's cache. */
  tokenBudget?: number;
}

/** Told after each batch how many texts and tokens it had. */
export type OnBatch = (done: { texts: number; tokens: number }) => void;

/** A graph over one length group whose output is one row of `size` numbers for each text. */
export interface RowGraph {
  graph: Graph;
  rows: Value;
  size: number;
  parameters: ParameterStore;
  config: EncoderConfig;
  pooling: HeadConfig['pooling'];
}

/** Measured: 4096 is 15 to 20 % slower (docs/engine.md). */
const DEFAULT_TOKEN_BUDGET = 1024;

/** A model compiled with its weights inside: tokens of any number of texts in, rows of numbers out. */
export class TextRows {
  readonly #session: Session;
  readonly #size: number;
  readonly #tokenBudget: number;
  readonly #packing: {
    groups: 1;
    pooling: HeadConfig['pooling'];
    padTokenId: number;
    positionOffset: number;
  };

  private constructor(session: Session, { size, config, pooling }: RowGraph, tokenBudget: number) {
    const { padTokenId, positionOffset } = config;
    this.#session = session;
    this.#size = size;
    this.#tokenBudget = tokenBudget;
    this.#packing = { groups: 1, pooling, padTokenId, positionOffset };
  }

  static async compile(model: RowGraph, options: TextRowsOptions = {}): Promise<TextRows> {
    const { graph, rows, parameters } = model;
    const session = await compile(graph, { outputs: { rows }, parameters, session: options.session });
    return new TextRows(session, model, options.tokenBudget ?? DEFAULT_TOKEN_BUDGET);
  }

  /** The rows of `texts` in their order, one after another; texts of similar length are computed together. */
  async of(texts: readonly TokenizedText[], onBatch?: OnBatch): Promise<Float32Array> {
    const rows = new Float32Array(texts.length * this.#size);
    const lengths = texts.map((text) => text.ids.length);
    for (const members of batchByTokens(lengths, { tokenBudget: this.#tokenBudget })) {
      const tokens = await this.#batch(members, texts, rows);
      onBatch?.({ texts: members.length, tokens });
    }
    this.#checkRows(rows);
    return rows;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  #checkRows(rows: Float32Array): void {
    const wrong = findNotFinite(rows);
    if (wrong < 0) return;
    const text = Math.floor(wrong / this.#size) + 1;
    throw new NearmissError(
      `the model gives ${rows[wrong]} for text ${text} of ${rows.length / this.#size}, expected finite numbers`,
      {
        hint: 'its weights have diverged or overflow: take another checkpoint, or train with a smaller learning rate',
      },
    );
  }

  async #batch(members: number[], texts: readonly TokenizedText[], rows: Float32Array): Promise<number> {
    const packed = packBatch(
      members.map((member) => texts[member]),
      this.#packing,
    );
    const result = await this.#session.run(encoderFeeds(packed));
    const made = result.rows.data as Float32Array;
    packed.order.forEach((member, row) => {
      rows.set(made.subarray(row * this.#size, (row + 1) * this.#size), members[member] * this.#size);
    });
    return packed.tokenCount;
  }
}
