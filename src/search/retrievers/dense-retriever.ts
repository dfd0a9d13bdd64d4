import type { DocumentStore } from '../document-store.js';
import type { Embedder } from '../embedder.js';
import { ranked } from '../hits.js';
import { explainHits } from './explain-hits.js';
import type { VectorFinder } from './open-mode.js';
import type { Hit, RetrieveOptions, Retriever } from './retriever.js';

/** Queries encoded and searched at once; progress is told after each. */
const QUERIES_AT_ONCE = 256;

/** Finds documents whose vectors are near the query's. Closing it is left to whoever opened its parts. */
export class DenseRetriever implements Retriever {
  readonly mode = 'dense';
  readonly #embedder: Embedder;
  readonly #index: VectorFinder;
  readonly #documents: DocumentStore | undefined;

  /** @param documents whose texts explain which tokens or terms matched, where the model compares those */
  constructor(embedder: Embedder, index: VectorFinder, documents?: DocumentStore) {
    this.#embedder = embedder;
    this.#index = index;
    this.#documents = documents;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, filter, explain, onDone, signal } = options;
    const results: Hit[][] = [];
    for (let start = 0; start < queries.length; start += QUERIES_AT_ONCE) {
      const part = queries.slice(start, start + QUERIES_AT_ONCE);
      const { vectors, offsets } = await this.#embedder.encode(part, 'query', { signal });
      const found = await this.#index.search(vectors, { k, filter, signal, offsets });
      for (const [i, hits] of found.entries()) {
        results.push(explain ? await this.#explainAll(part[i], hits) : hits);
      }
      onDone?.(part.length);
    }
    return results;
  }

  async close(): Promise<void> {}

  async #explainAll(query: string, hits: readonly Hit[]): Promise<Hit[]> {
    const explained = ranked(
      hits.map(({ id, score }) => ({ id, score, parts: [{ name: this.mode, score }] })),
    );
    return explainHits(explained, {
      query,
      part: this.mode,
      explainer: this.#embedder,
      documents: this.#documents,
    });
  }
}
