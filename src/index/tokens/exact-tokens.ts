import type { SessionOptions } from '../../engine/index.js';
import { checkSearch, emptyResult } from '../vectors/check-vectors.js';
import type { Documents } from '../vectors/document-files.js';
import type { FlatIndex } from '../vectors/flat.js';
import {
  queryRows,
  type SearchOptions,
  type SearchResult,
  type VectorIndexMetadata,
  type VectorSearcher,
} from '../vectors/vector-index.js';
import { bestDocuments } from './best-documents.js';
import { RowProducts } from './row-products.js';

/** Late interaction over rows as they are: every document is compared, exactly. For collections that are small. */
export class ExactTokens implements VectorSearcher {
  /** As of the rows' index, with the number of documents. */
  readonly metadata: VectorIndexMetadata;
  readonly #rows: FlatIndex;
  readonly #offsets: Uint32Array;
  readonly #products: RowProducts;

  private constructor(rows: FlatIndex, offsets: Uint32Array, products: RowProducts) {
    this.metadata = { ...rows.metadata, count: offsets.length - 1 };
    this.#rows = rows;
    this.#offsets = offsets;
    this.#products = products;
  }

  static async open(rows: FlatIndex, documents: Documents, session?: SessionOptions): Promise<ExactTokens> {
    const { dimension, storage, count } = rows.metadata;
    const offsets = documents.offsets ?? Uint32Array.from({ length: count + 1 }, (_, row) => row);
    const products = await RowProducts.open(dimension, { ...session, half: storage === 'f16' });
    return new ExactTokens(rows, offsets, products);
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const total = checkSearch(queries, options, this.metadata);
    const result = emptyResult(total, options.k);
    const { among } = options;
    const all = Uint32Array.from({ length: this.metadata.count }, (_, document) => document);
    const documents = among ? all.filter((document) => among[document] !== 0) : all;
    for (let query = 0; query < total; query++) {
      const rows = queryRows(queries, query, options, this.metadata.dimension);
      const scored = await this.#scores(rows);
      const scores = among ? scored.filter((_, document) => among[document] !== 0) : scored;
      const found = bestDocuments({ documents, scores }, options.k);
      const there = found.scores.indexOf(Number.NEGATIVE_INFINITY);
      const end = there < 0 ? found.scores.length : there;
      result.ids.set(found.documents.subarray(0, end), query * options.k);
      result.scores.set(found.scores.subarray(0, end), query * options.k);
    }
    return result;
  }

  async close(): Promise<void> {
    await this.#products.release();
    await this.#rows.close();
  }

  async #scores(query: Float32Array): Promise<Float32Array> {
    const rows = query.length / this.metadata.dimension;
    const offsets = this.#offsets;
    const scores = new Float32Array(this.metadata.count);
    const best = new Float32Array(rows).fill(Number.NEGATIVE_INFINITY);
    let document = 0;
    // A document's rows may lie in two blocks: what is best so far is carried over.
    const finish = (end: number): void => {
      for (; document < scores.length && offsets[document + 1] <= end; document++) {
        let sum = 0;
        for (let i = 0; i < rows; i++) sum += best[i];
        scores[document] = sum;
        best.fill(Number.NEGATIVE_INFINITY);
      }
    };
    for await (const { data, rows: count, firstId } of this.#rows.blocks()) {
      const products = await this.#products.of(data, query);
      let at = 0;
      for (let row = 0; row < count; row++) {
        finish(firstId + row);
        for (let i = 0; i < rows; i++, at++) if (products[at] > best[i]) best[i] = products[at];
      }
    }
    finish(this.#rows.metadata.count);
    return scores;
  }
}
