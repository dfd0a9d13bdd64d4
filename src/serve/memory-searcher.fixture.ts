import type { Document } from '../data/index.js';
import type { Hit, RetrieveOptions, SearchMode } from '../search/retrievers/retriever.js';
import { searchDocuments } from '../search/search-documents.js';
import type { Searcher } from '../search/searcher.js';
import { PLAIN_WORDS, termsOf } from '../search/snippet/query-words.js';

async function* metadataOf(documents: Iterable<Document>): AsyncGenerator<Document['metadata']> {
  for (const { metadata } of documents) yield metadata;
}

/**
 * A searcher over documents in memory that counts shared words. It refuses to work once it is closed, so that tests
 * see a version closed under a request's feet.
 */
export class MemorySearcher implements Searcher {
  readonly name = 'memory';
  readonly version: string;
  readonly modes: readonly SearchMode[] = ['bm25'];
  readonly defaultMode = 'bm25';
  readonly documents: Searcher['documents'];
  readonly search = searchDocuments(this);
  closed = false;
  readonly #byId: Map<string, Document>;
  readonly #pause: () => Promise<unknown>;

  /** @param options.pause what every piece of work waits for */
  constructor(
    version: string,
    documents: readonly Document[],
    options: { pause?: () => Promise<unknown> } = {},
  ) {
    this.version = version;
    this.#byId = new Map(documents.map((document) => [document.id, document]));
    this.#pause = options.pause ?? (async () => undefined);
    const get = async (id: string): Promise<Document | undefined> => {
      await this.#work();
      return structuredClone(this.#byId.get(id));
    };
    this.documents = {
      count: documents.length,
      has: (id) => this.#byId.has(id),
      get,
      getAll: (ids) => Promise.all(ids.map(get)),
      ids: () => this.#byId.keys(),
      metadata: () => metadataOf(this.#byId.values()),
      close: async () => undefined,
    };
  }

  retriever(mode: SearchMode): ReturnType<Searcher['retriever']> {
    return {
      mode,
      search: (queries, options) => this.#search(queries, options),
      close: async () => undefined,
    };
  }

  async encode(): Promise<Float32Array> {
    throw new Error('no model');
  }

  async score(): Promise<Float32Array> {
    throw new Error('no model');
  }

  async encodeDocuments(): Promise<never> {
    throw new Error('no model');
  }

  async vectorOf(): Promise<Float32Array | undefined> {
    return undefined;
  }

  async searchVectors(): Promise<Hit[][]> {
    throw new Error('no model');
  }

  queryTerms(query: string): ReturnType<Searcher['queryTerms']> {
    return termsOf(PLAIN_WORDS, query);
  }

  snippet(_: unknown, { text }: Document): ReturnType<Searcher['snippet']> {
    return { text, start: 0, cut: { before: false, after: false }, highlights: [] };
  }

  async close(): Promise<void> {
    if (this.closed) throw new Error(`${this.version} is closed twice`);
    this.closed = true;
  }

  async #search(queries: readonly string[], { k }: RetrieveOptions): Promise<Hit[][]> {
    await this.#work();
    return queries.map((query) => {
      const words = new Set(query.split(' '));
      return [...this.#byId.values()]
        .map(({ id, text }) => ({ id, score: text.split(' ').filter((word) => words.has(word)).length }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
        .slice(0, k);
    });
  }

  async #work(): Promise<void> {
    await this.#pause();
    if (this.closed) throw new Error(`${this.version} was closed under a request's feet`);
  }
}
