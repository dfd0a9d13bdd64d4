import { fullText } from '../../data/dataset.js';
import { checkK } from '../check-search.js';
import type { DocumentStore } from '../document-store.js';
import { compareHits } from '../hits.js';
import { explainHits } from './explain-hits.js';
import type { Reranker } from './reranker.js';
import type { Hit, RetrieveOptions, Retriever } from './retriever.js';

export interface CascadeOptions {
  /** Finds the candidates. */
  first: Retriever;
  reranker: Reranker;
  documents: DocumentStore;
  /** Candidates reranked, at least k. Default 100. */
  depth?: number;
}

export const DEFAULT_RERANK_DEPTH = 100;

/** Lets one retriever find candidates and a reranker put them in order; the hits' scores are the reranker's. */
export class CascadeRetriever implements Retriever {
  readonly mode = 'cascade';
  readonly #options: CascadeOptions;

  constructor(options: CascadeOptions) {
    this.#options = options;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, onDone, ...rest } = options;
    const { first, depth = DEFAULT_RERANK_DEPTH } = this.#options;
    checkK(k);
    const candidates = await first.search(queries, { ...rest, k: Math.max(k, depth) });
    const results: Hit[][] = [];
    for (const [i, query] of queries.entries()) {
      results.push((await this.#rerank(query, candidates[i], options)).slice(0, k));
      onDone?.(1);
    }
    return results;
  }

  async close(): Promise<void> {}

  async #rerank(
    query: string,
    candidates: readonly Hit[],
    { explain, signal }: RetrieveOptions,
  ): Promise<Hit[]> {
    if (candidates.length === 0) return [];
    const { documents, reranker } = this.#options;
    const found = await documents.getAll(candidates.map(({ id }) => id));
    // A document that the index knows and the collection does not is one without words.
    const texts = found.map((document) => (document ? fullText(document) : ''));
    const scores = await reranker.score(query, texts, { signal });
    const hits = candidates.map((hit, i): Hit => ({ ...hit, score: scores[i] })).sort(compareHits);
    if (!explain) return hits;
    const explained = hits.map((hit, rank) => ({
      ...hit,
      parts: [...hit.parts!, { name: reranker.name, score: hit.score, rank: rank + 1 }],
    }));
    return explainHits(explained, { query, part: reranker.name, explainer: reranker, documents });
  }
}
