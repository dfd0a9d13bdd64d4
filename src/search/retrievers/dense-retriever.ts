import type { Embedder } from '../embedder.js';
import { ranked } from '../hits.js';
import type { VectorFinder } from './open-mode.js';
import type { Hit, RetrieveOptions, Retriever } from './retriever.js';

/** Queries encoded and searched at once; progress is told after each. */
const QUERIES_AT_ONCE = 256;

/** Finds documents whose vectors are near the query's. Closing it is left to whoever opened its parts. */
export class DenseRetriever implements Retriever {
  readonly mode = 'dense';
  readonly #embedder: Embedder;
  readonly #index: VectorFinder;

  constructor(embedder: Embedder, index: VectorFinder) {
    this.#embedder = embedder;
    this.#index = index;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, filter, explain, onDone, signal } = options;
    const results: Hit[][] = [];
    for (let start = 0; start < queries.length; start += QUERIES_AT_ONCE) {
      const part = queries.slice(start, start + QUERIES_AT_ONCE);
      const { vectors, offsets } = await this.#embedder.encode(part, 'query', { signal });
      for (const hits of await this.#index.search(vectors, { k, filter, signal, offsets })) {
        results.push(explain ? ranked(hits.map((hit) => this.#explained(hit))) : hits);
      }
      onDone?.(part.length);
    }
    return results;
  }

  async close(): Promise<void> {}

  #explained({ id, score }: Hit): Hit {
    return { id, score, parts: [{ name: this.mode, score }] };
  }
}
