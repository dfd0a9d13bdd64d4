import { type EncodedTexts, rowsOf, stackRows } from '../model/encoder/encoded-texts.js';
import type { SplitTokensOptions } from '../text/split-tokens.js';
import { Batcher } from './batching.js';
import type { Embedder, EmbedderInfo, TextUse } from './embedder.js';
import { VectorCache } from './vector-cache.js';

interface Item {
  text: string;
  use: TextUse;
}

export interface BatchedEmbedderOptions {
  /** Tokens encoded together, roughly: what waits longest waits for one such batch. Default 4096. */
  tokenBudget?: number;
  /** Bytes of query vectors kept. Default 32 MiB; 0 keeps none. */
  cacheBytes?: number;
}

const DEFAULT_TOKEN_BUDGET = 4096;
const DEFAULT_CACHE_BYTES = 32 * 2 ** 20;
/** English has about four characters a token; what is over-estimated only makes batches smaller. */
const CHARACTERS_PER_TOKEN = 3;
const SPECIAL_TOKENS = 2;

/** Encodes concurrent requests together, and the same query once. */
export class BatchedEmbedder implements Embedder {
  readonly info: EmbedderInfo;
  readonly #inner: Embedder;
  readonly #batcher: Batcher<Item, Float32Array>;
  readonly #cache: VectorCache | undefined;

  constructor(inner: Embedder, options: BatchedEmbedderOptions = {}) {
    const { tokenBudget = DEFAULT_TOKEN_BUDGET, cacheBytes = DEFAULT_CACHE_BYTES } = options;
    this.info = inner.info;
    this.#inner = inner;
    const { dimension, maxLength } = inner.info;
    this.#batcher = new Batcher<Item, Float32Array>({
      budget: tokenBudget,
      cost: ({ text }) => Math.min(maxLength, Math.ceil(text.length / CHARACTERS_PER_TOKEN) + SPECIAL_TOKENS),
      key: ({ use }) => use,
      run: async (items) => {
        const encoded = await inner.encode(
          items.map(({ text }) => text),
          items[0].use,
        );
        return items.map((_, i) => rowsOf(encoded, i));
      },
    });
    if (cacheBytes > 0) this.#cache = new VectorCache({ dimension, bytes: cacheBytes });
  }

  async encode(texts: readonly string[], use: TextUse, split?: SplitTokensOptions): Promise<EncodedTexts> {
    // What is read in pieces are documents, which come many at a time: there is nothing to collect.
    if (split) return this.#inner.encode(texts, use, split);
    const { dimension } = this.info;
    const cache = use === 'query' ? this.#cache : undefined;
    const encodeOne = async (text: string): Promise<Float32Array> => {
      const known = cache?.get(text);
      if (known) return known;
      const rows = await this.#batcher.add({ text, use });
      if (rows.length === dimension) cache?.set(text, rows);
      return rows;
    };
    return stackRows(await Promise.all(texts.map(encodeOne)), dimension);
  }

  async close(): Promise<void> {
    this.#batcher.close();
    await this.#inner.close();
  }
}
