import type { Reranker, RerankOptions } from '../retrievers/reranker.js';
import { Batcher } from './batcher.js';

interface Item {
  query: string;
  text: string;
}

/** Characters of the texts that are scored together: who comes next waits for no more of somebody's long list. */
const CHARACTERS_AT_ONCE = 32_768;
/** Of longer texts a cross-encoder does not read the rest. */
const READ_CHARACTERS = 2048;

/** Scores the texts of several requests in turns, some of each, and stops where a request is not wanted any more. */
export class BatchedReranker implements Reranker {
  readonly name: string;
  readonly fingerprint: string;
  readonly explain: Reranker['explain'];
  readonly #inner: Reranker;
  readonly #batcher: Batcher<Item, number>;

  constructor(inner: Reranker) {
    this.name = inner.name;
    this.fingerprint = inner.fingerprint;
    this.explain = inner.explain;
    this.#inner = inner;
    this.#batcher = new Batcher<Item, number>({
      budget: CHARACTERS_AT_ONCE,
      cost: ({ query, text }) => Math.min(READ_CHARACTERS, query.length + text.length),
      key: ({ query }) => query,
      run: async (items) => [
        ...(await inner.score(
          items[0].query,
          items.map(({ text }) => text),
        )),
      ],
    });
  }

  async score(query: string, texts: readonly string[], options?: RerankOptions): Promise<Float32Array> {
    const items = texts.map((text) => ({ query, text }));
    return Float32Array.from(await this.#batcher.addAll(items, options));
  }

  async close(): Promise<void> {
    this.#batcher.close();
    await this.#inner.close();
  }
}
