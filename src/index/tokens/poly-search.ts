import { polyScore } from '../../model/scorer/poly.js';
import { checkSearch, emptyResult } from '../vectors/check-vectors.js';
import {
  queryRows,
  type SearchOptions,
  type SearchResult,
  type VectorIndexMetadata,
  type VectorSearcher,
} from '../vectors/vector-index.js';
import { bestDocuments } from './best-documents.js';

/** An index whose vectors can be read again. */
export interface ReadableVectors extends VectorSearcher {
  vectors(ids: ArrayLike<number>): Promise<Float32Array>;
}

/**
 * Finds documents of a Poly-encoder with an index of their vectors. A document's score is a mean of its inner products with
 * the query's rows, so none that was not found yet can score above the last product that each row found: the search ends when
 * the k-th best is at least that (Fagin's threshold algorithm). With an exact index the result is exact.
 */
export class PolySearch implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  readonly #vectors: ReadableVectors;

  constructor(vectors: ReadableVectors) {
    this.metadata = vectors.metadata;
    this.#vectors = vectors;
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const total = checkSearch(queries, options, this.metadata);
    const result = emptyResult(total, options.k);
    for (let query = 0; query < total; query++) {
      const rows = queryRows(queries, query, options, this.metadata.dimension);
      const { documents, scores } = await this.#searchOne(rows, options);
      result.ids.set(documents, query * options.k);
      result.scores.set(scores, query * options.k);
    }
    return result;
  }

  close(): Promise<void> {
    return this.#vectors.close();
  }

  async #searchOne(
    rows: Float32Array,
    { k, efSearch }: SearchOptions,
  ): Promise<{ documents: Uint32Array; scores: Float32Array }> {
    const { dimension, count } = this.metadata;
    for (let fetch = Math.min(2 * k, count); ; fetch = Math.min(2 * fetch, count)) {
      const found = await this.#vectors.search(rows, { k: fetch, efSearch });
      const documents = Uint32Array.from(new Set(found.ids.filter((id) => id >= 0))).sort();
      const vectors = await this.#vectors.vectors(documents);
      const scores = Float32Array.from(documents, (_, i) =>
        polyScore(rows, vectors.subarray(i * dimension, (i + 1) * dimension), dimension),
      );
      const best = bestDocuments({ documents, scores }, k);
      let bound = Number.NEGATIVE_INFINITY;
      for (let row = 0; row * dimension < rows.length; row++) {
        bound = Math.max(bound, found.scores[(row + 1) * fetch - 1]);
      }
      const enough = best.documents.length === Math.min(k, count) && best.scores.at(-1)! > bound;
      if (enough || fetch === count) return best;
    }
  }
}
