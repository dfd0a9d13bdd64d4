import { join } from 'node:path';
import { queryImpacts } from '../../model/scorer/impact.js';
import type { Bm25Index } from '../bm25/bm25-index.js';
import { openBm25Index } from '../bm25/open.js';
import { Bm25Searcher } from '../bm25/searcher.js';
import { impacts } from '../bm25/similarity.js';
import { checkSearch, emptyResult } from '../vectors/check-vectors.js';
import type { IndexFolder } from '../vectors/index-folder.js';
import {
  queryRows,
  type SearchOptions,
  type SearchResult,
  type VectorIndexMetadata,
  type VectorSearcher,
} from '../vectors/vector-index.js';
import { POSTINGS_FOLDER } from './write-impact-index.js';

/**
 * Finds documents by the weights of the terms that they share with a query: learned sparse retrieval over the inverted
 * index of BM25. Documents without a shared term are not found, so there may be fewer than k.
 */
export class ImpactIndex implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  readonly postings: Bm25Index;
  readonly #pruned: Bm25Searcher;
  #exhaustive: Bm25Searcher | undefined;

  private constructor(metadata: VectorIndexMetadata, postings: Bm25Index) {
    this.metadata = metadata;
    this.postings = postings;
    this.#pruned = new Bm25Searcher(postings, { similarity: impacts() });
  }

  static async open(folder: IndexFolder): Promise<ImpactIndex> {
    const postings = await openBm25Index(join(folder.path, POSTINGS_FOLDER)).catch((error) => {
      throw folder.damaged(POSTINGS_FOLDER, error);
    });
    return new ImpactIndex(folder.metadata, postings);
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const total = checkSearch(queries, options, this.metadata);
    const result = emptyResult(total, options.k);
    const { dimension, parameters } = this.metadata;
    const searcher = options.exhaustive ? this.#unpruned() : this.#pruned;
    for (let query = 0; query < total; query++) {
      const weights = queryImpacts(queryRows(queries, query, options, dimension));
      const terms = new Map(Array.from(weights, ([term, weight]) => [String(term), weight]));
      const { ids, scores } = searcher.searchTerms(terms, options.k);
      result.ids.set(ids, query * options.k);
      result.scores.set(
        scores.map((score) => score / parameters.scale),
        query * options.k,
      );
    }
    return result;
  }

  async close(): Promise<void> {}

  #unpruned(): Bm25Searcher {
    this.#exhaustive ??= new Bm25Searcher(this.postings, { similarity: impacts(), prune: false });
    return this.#exhaustive;
  }
}
