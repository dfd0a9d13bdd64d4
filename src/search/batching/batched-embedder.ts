import { type EncodedTexts, rowsOf, stackRows } from '../../model/encoder/encoded-texts.js';
import type { Embedder, EmbedderInfo, EmbedOptions, TextUse } from '../embedder.js';
import { Batcher } from './batcher.js';
import { VectorCache } from './vector-cache.js';

interface Item {
  text: string;
  use: TextUse;
}

export interface BatchedEmbedderOptions {
  /** Tokens encoded together, roughly: what waits longest waits for one such batch. Default 1024. */
  tokenBudget?: number;
  /** Bytes of query vectors kept. Default 32 MiB; 0 keeps none. */
  cacheBytes?: number;
}

const DEFAULT_TOKEN_BUDGET = 1024;
const DEFAULT_CACHE_BYTES = 32 * 2 ** 20;
/** English has about four characters a token; what is over-estimated only makes batches smaller. */
const CHARACTERS_PER_TOKEN = 3;
const SPECIAL_TOKENS = 2;

/** Encodes concurrent requests together, and the same query once. */
export class BatchedEmbedder implements Embedder {
  readonly info: EmbedderInfo;
  readonly explain: Embedder['explain'];
  readonly #inner: Embedder;
  readonly #batcher: Batcher<Item, Float32Array>;
  readonly #cache: VectorCache | undefined;

  constructor(inner: Embedder, options: BatchedEmbedderOptions = {}) {
    const { tokenBudget = DEFAULT_TOKEN_BUDGET, cacheBytes = DEFAULT_CACHE_BYTES } = options;
    this.info = inner.info;
    this.explain = inner.explain;
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

  async encode(texts: readonly string[], use: TextUse, options: EmbedOptions = {}): Promise<EncodedTexts> {
    const { split, signal } = options;
    // What is read in pieces are documents, which come many at a time: there is nothing to collect.
    if (split) return this.#inner.encode(texts, use, options);
    const { dimension } = this.info;
    const cache = use === 'query' ? this.#cache : undefined;
    const known = texts.map((text) => cache?.get(text));
    const missing = texts.filter((_, i) => known[i] === undefined);
    const made = await this.#batcher.addAll(
      missing.map((text) => ({ text, use })),
      { signal },
    );
    made.forEach((rows, i) => {
      if (rows.length === dimension) cache?.set(missing[i], rows);
    });
    let next = 0;
    return stackRows(
      known.map((rows) => rows ?? made[next++]),
      dimension,
    );
  }

  async close(): Promise<void> {
    this.#batcher.close();
    await this.#inner.close();
  }
}
