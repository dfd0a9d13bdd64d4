import { NearmissError } from '../../base/errors.js';
import type { IdTable } from '../../data/id-table.js';
import { checkOffsets, isOneRowEach } from '../../model/encoder/encoded-texts.js';
import { checkSearch, emptyResult, oneRowEachQuery } from './check-vectors.js';
import type { Documents } from './document-files.js';
import type { SearchOptions, SearchResult, VectorSearcher } from './vector-index.js';

/** Memory for the vectors fetched at once. */
const FETCH_BYTES = 64 * 2 ** 20;

export interface DocumentIndexOptions extends Documents {
  vectors: VectorSearcher;
}

/**
 * Finds documents that have one or several vectors each; a document scores as its best vector does (MaxP). It
 * fetches vectors until there are k documents or no vectors left, so with an exact index the result is exact.
 *
 * @example
 * const documents = new DocumentIndex({ vectors: await builder.finish(), offsets: Uint32Array.of(0, 2, 3) });
 * const { ids, scores } = await documents.search(query, { k: 2 }); // ids are documents
 */
export class DocumentIndex {
  readonly vectors: VectorSearcher;
  /** How many documents there are to find. */
  readonly count: number;
  readonly ids: IdTable | undefined;
  readonly #offsets: Uint32Array | undefined;
  /** The document of each vector, where the two have not the same numbers. */
  readonly #documentOf: Int32Array | undefined;
  /** For each document the last query that found it, so that nothing has to be cleared in between. */
  readonly #foundBy: Int32Array;
  #queries = 0;

  constructor({ vectors, offsets, mayBeEmpty, ids }: DocumentIndexOptions) {
    const { count } = vectors.metadata;
    if (offsets) checkOffsets(offsets, { rows: count, mayBeEmpty });
    this.vectors = vectors;
    this.ids = ids;
    const several = offsets && !isOneRowEach(offsets) ? offsets : undefined;
    const documents = several ? several.length - 1 : count;
    this.#offsets = several;
    this.#documentOf = several && documentOfRows(several);
    this.count = several ? several.filter((offset, i) => offset < several[i + 1]).length : count;
    this.#foundBy = new Int32Array(several ? documents : 0);
    if (ids && ids.size < documents) {
      throw new NearmissError(`expected an id for each of ${documents} documents, got ${ids.size}`);
    }
  }

  /** The vectors of a document are `first … end - 1`. */
  vectorsOf(document: number): { first: number; end: number } {
    if (!this.#offsets) return { first: document, end: document + 1 };
    return { first: this.#offsets[document], end: this.#offsets[document + 1] };
  }

  /** Like a vector index, with documents in place of vectors. */
  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    if (!this.#documentOf) return this.vectors.search(queries, options);
    oneRowEachQuery(options);
    const { metadata } = this.vectors;
    const total = checkSearch(queries, options, metadata);
    const result = emptyResult(total, options.k);
    if (metadata.count === 0) return result;
    // They count all queries, of which only some are searched for at once.
    const { queryOffsets: _, ...ofOneRow } = options;
    let pending = Int32Array.from({ length: total }, (_, query) => query);
    let fetch = Math.ceil((1.5 * options.k * metadata.count) / this.count);
    while (pending.length > 0) {
      fetch = Math.min(fetch, metadata.count);
      pending = await this.#fetch(queries, { ...ofOneRow, k: fetch }, pending, result);
      fetch *= 2;
    }
    return result;
  }

  async close(): Promise<void> {
    await this.vectors.close();
  }

  /** Searches again for some queries and returns those that need yet more vectors. */
  async #fetch(
    queries: Float32Array,
    options: SearchOptions,
    pending: Int32Array,
    result: SearchResult,
  ): Promise<Int32Array<ArrayBuffer>> {
    const { dimension, count } = this.vectors.metadata;
    const atOnce = Math.max(1, Math.floor(FETCH_BYTES / (8 * options.k)));
    const unfinished: number[] = [];
    for (let first = 0; first < pending.length; first += atOnce) {
      const part = pending.subarray(first, first + atOnce);
      const rows = new Float32Array(part.length * dimension);
      part.forEach((query, row) => {
        rows.set(queries.subarray(query * dimension, (query + 1) * dimension), row * dimension);
      });
      const found = await this.vectors.search(rows, options);
      part.forEach((query, row) => {
        const complete = this.#pool(found, row, result, query);
        if (!complete && options.k < count) unfinished.push(query);
      });
    }
    return Int32Array.from(unfinished);
  }

  /**
   * Writes the documents of a row of vectors, each where its best vector is; whether there are enough. Since equal
   * scores come in the order of vectors, which is that of documents, documents with equal scores stay in order.
   */
  #pool(found: SearchResult, row: number, result: SearchResult, query: number): boolean {
    const stamp = this.#nextStamp();
    const start = query * result.k;
    let documents = 0;
    for (let i = row * found.k; i < (row + 1) * found.k && documents < result.k; i++) {
      if (found.ids[i] < 0) break;
      const document = this.#documentOf![found.ids[i]];
      if (this.#foundBy[document] === stamp) continue;
      this.#foundBy[document] = stamp;
      result.ids[start + documents] = document;
      result.scores[start + documents++] = found.scores[i];
    }
    return documents === result.k;
  }

  #nextStamp(): number {
    if (this.#queries === 2 ** 31 - 1) {
      this.#foundBy.fill(0);
      this.#queries = 0;
    }
    return ++this.#queries;
  }
}

function documentOfRows(offsets: Uint32Array): Int32Array {
  const documentOf = new Int32Array(offsets[offsets.length - 1]);
  for (let document = 0; document + 1 < offsets.length; document++) {
    documentOf.fill(document, offsets[document], offsets[document + 1]);
  }
  return documentOf;
}
