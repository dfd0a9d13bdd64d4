import type { SessionOptions } from '../../engine/index.js';
import { checkSearch, emptyResult } from '../vectors/check-vectors.js';
import type { IndexFolder } from '../vectors/index-folder.js';
import {
  queryRows,
  type SearchOptions,
  type SearchResult,
  type VectorIndexMetadata,
  type VectorSearcher,
} from '../vectors/vector-index.js';
import { bestDocuments, type Scored } from './best-documents.js';
import { CandidateFinder } from './candidate-finder.js';
import { InvertedLists } from './inverted-lists.js';
import { addMaxSims } from './max-sims.js';
import { ResidualCodec } from './residual-codec.js';
import { openResiduals, type Residuals } from './residuals.js';
import { RowProducts } from './row-products.js';
import { readTokenTable, TOKEN_FILES } from './token-files.js';

/** Documents whose rows are put together again and compared exactly: so many times k, and at least. */
const EXACT = { timesK: 4, atLeast: 256 };
/** Documents compared by the centroids of their tokens: so many times those compared exactly. */
const APPROXIMATE_PER_EXACT = 8;
/** Rows put together at once. */
const ROWS_AT_ONCE = 16_384;

export interface OpenTokenIndexOptions {
  /**
   * `memory` reads what tokens differ from their centroids by; `disk` leaves it in its file and keeps 128 MB of it. Default: in
   * memory up to 1 GB.
   */
  access?: 'memory' | 'disk';
  session?: SessionOptions;
}

/**
 * Finds documents by late interaction, Σᵢ maxⱼ qᵢ·dⱼ, over rows that were compressed. As PLAID does (Santhanam et al. 2022):
 * documents with a token near one of the query's are candidates; the best by their tokens' centroids are put together
 * again and compared exactly. What a search costs depends on nothing but its own options.
 */
export class TokenIndex implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  readonly #codec: ResidualCodec;
  readonly #codes: Uint32Array;
  /** The rows of document `i` are `offsets[i] … offsets[i + 1] - 1`. */
  readonly offsets: Uint32Array;
  readonly #finder: CandidateFinder;
  readonly #residuals: Residuals;
  readonly #products: RowProducts;

  private constructor(
    metadata: VectorIndexMetadata,
    parts: {
      codec: ResidualCodec;
      codes: Uint32Array;
      offsets: Uint32Array;
      residuals: Residuals;
      products: RowProducts;
    },
  ) {
    this.metadata = metadata;
    this.#codec = parts.codec;
    this.#codes = parts.codes;
    this.offsets = parts.offsets;
    this.#residuals = parts.residuals;
    this.#products = parts.products;
    const { codes, offsets } = parts;
    const centroids = metadata.parameters.centroids;
    this.#finder = new CandidateFinder(InvertedLists.of(codes, offsets, centroids), { codes, offsets });
  }

  static async open(folder: IndexFolder, options: OpenTokenIndexOptions = {}): Promise<TokenIndex> {
    const { metadata } = folder;
    const { codebook, codes, offsets } = await readTokenTable(folder);
    const codec = new ResidualCodec(codebook);
    const bytes = codes.length * codec.rowBytes;
    const residuals = await openResiduals(folder, TOKEN_FILES.residuals, { bytes, access: options.access });
    const products = await RowProducts.open(codebook.dimension, options.session);
    return new TokenIndex(metadata, { codec, codes, offsets, residuals, products });
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const total = checkSearch(queries, options, this.metadata);
    const result = emptyResult(total, options.k);
    for (let query = 0; query < total; query++) {
      const rows = queryRows(queries, query, options, this.metadata.dimension);
      const found = await this.#searchOne(rows, options);
      result.ids.set(found.documents, query * options.k);
      result.scores.set(found.scores, query * options.k);
    }
    return result;
  }

  /** The rows of a document as they were put together again. */
  async rowsOf(document: number): Promise<Float32Array> {
    return this.#decoded(document, document + 1);
  }

  async close(): Promise<void> {
    await this.#products.release();
    await this.#residuals.close();
  }

  async #searchOne(query: Float32Array, { k, exhaustive, among }: SearchOptions): Promise<Scored> {
    if (exhaustive) return bestDocuments(chosen(await this.#scoreAll(query), among), k);
    const exact = Math.max(EXACT.timesK * k, EXACT.atLeast);
    const rows = query.length / this.metadata.dimension;
    // [centroids, rows of the query]: what a token's centroid gives to each row lies together.
    const scores = await this.#products.of(this.#codec.codebook.centroids, query);
    const candidates = this.#finder.find(scores, rows, {
      approximate: exact * APPROXIMATE_PER_EXACT,
      exact,
      among,
    });
    return bestDocuments(await this.#scoreExactly(query, candidates), k);
  }

  /** Candidates in ascending order, so that those that lie together are read together. */
  async #scoreExactly(query: Float32Array, candidates: Uint32Array): Promise<Scored> {
    const documents = candidates.toSorted();
    const scores = new Float32Array(documents.length);
    const { dimension } = this.metadata;
    for (let first = 0; first < documents.length; ) {
      let end = first;
      let rows = 0;
      while (end < documents.length && (end === first || rows < ROWS_AT_ONCE)) {
        rows += this.#tokensOf(documents[end++]);
      }
      const decoded = new Float32Array(rows * dimension);
      const offsets = new Uint32Array(end - first + 1);
      for (let place = first; place < end; place++) {
        const from = offsets[place - first];
        offsets[place - first + 1] = from + this.#tokensOf(documents[place]);
        await this.#decodeInto(documents[place], documents[place] + 1, decoded.subarray(from * dimension));
      }
      await this.#scoreRows(query, decoded, offsets, scores.subarray(first, end));
      first = end;
    }
    return { documents, scores };
  }

  async #scoreAll(query: Float32Array): Promise<Scored> {
    const { count } = this.metadata;
    const documents = Uint32Array.from({ length: count }, (_, document) => document);
    const scores = new Float32Array(count);
    for (let first = 0; first < count; ) {
      let end = first + 1;
      while (end < count && this.offsets[end + 1] - this.offsets[first] <= ROWS_AT_ONCE) end++;
      const offsets = this.offsets.subarray(first, end + 1).map((offset) => offset - this.offsets[first]);
      await this.#scoreRows(query, await this.#decoded(first, end), offsets, scores.subarray(first, end));
      first = end;
    }
    return { documents, scores };
  }

  async #scoreRows(
    query: Float32Array,
    rows: Float32Array,
    offsets: Uint32Array,
    scores: Float32Array,
  ): Promise<void> {
    const products = await this.#products.of(rows, query);
    addMaxSims(products, offsets, query.length / this.metadata.dimension, scores);
  }

  #tokensOf(document: number): number {
    return this.offsets[document + 1] - this.offsets[document];
  }

  async #decoded(first: number, end: number): Promise<Float32Array> {
    const rows = this.offsets[end] - this.offsets[first];
    const target = new Float32Array(rows * this.metadata.dimension);
    await this.#decodeInto(first, end, target);
    return target;
  }

  async #decodeInto(first: number, end: number, target: Float32Array): Promise<void> {
    const [from, to] = [this.offsets[first], this.offsets[end]];
    const { rowBytes } = this.#codec;
    const packed = await this.#residuals.bytes(from * rowBytes, to * rowBytes);
    this.#codec.decode(this.#codes.subarray(from, to), packed, target);
  }
}

/** What was scored of documents that may be found. */
function chosen({ documents, scores }: Scored, among: Uint8Array | undefined): Scored {
  if (!among) return { documents, scores };
  const may = (_: number, place: number): boolean => among[documents[place]] !== 0;
  return { documents: documents.filter(may), scores: scores.filter(may) };
}
