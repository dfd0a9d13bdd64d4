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
import { bestDocuments, placesOfBest, type Scored } from './best-documents.js';
import { CandidateFinder } from './candidate-finder.js';
import { InvertedLists } from './inverted-lists.js';
import { ResidualCodec } from './residual-codec.js';
import { openResiduals, type Residuals } from './residuals.js';
import { RowProducts } from './row-products.js';
import { readTokenTable, TOKEN_FILES } from './token-files.js';
import {
  type Extent,
  type LateQuery,
  longestWords,
  MOST_QUERY_ROWS,
  TokenKernel,
  unitFor,
  vectorsFor,
} from './token-kernel.js';

/** Documents compared by whole rows: so many times k, and at least. */
const WHOLE = { timesK: 4, atLeast: 128 };
/** Documents compared by a part of their rows, and before that by the centroids of their tokens: so many times those. */
const PER_WHOLE = { part: 8, centroids: 16 };

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
 * documents with a token near one of the query's are candidates; the best by their tokens' centroids are compared by the first bytes of
 * rows, and the best of these by all of them. No row is put together for it. What a search costs depends on nothing but its
 * own options.
 */
export class TokenIndex implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  /** The tokens of document `i` are `offsets[i] … offsets[i + 1] - 1`. */
  readonly offsets: Uint32Array;
  readonly #codec: ResidualCodec;
  readonly #codes: Uint32Array;
  readonly #residuals: Residuals;
  readonly #finder: CandidateFinder;
  readonly #products: RowProducts;
  readonly #longestWords: Float64Array;
  readonly #longestDocument: number;
  /** Kernels that no search is using: each works on a query of its own. */
  readonly #kernels: TokenKernel[] = [];

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
    const { codec, codes, offsets } = parts;
    const { centroids } = metadata.parameters;
    this.#finder = new CandidateFinder(InvertedLists.of(codes, offsets, centroids), metadata.count);
    this.#longestWords = longestWords(codec.codebook);
    this.#longestDocument = offsets.reduce(
      (most, end, i) => Math.max(most, end - (i > 0 ? offsets[i - 1] : 0)),
      0,
    );
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
    const { directions, dimension } = this.#codec.codebook;
    const codes = this.#codesOf(document);
    const turned = new Float32Array(codes.length * dimension);
    this.#codec.decode(codes, await this.#packedOf(document), turned);
    return this.#products.of(turned, transposed(directions, dimension));
  }

  async close(): Promise<void> {
    await this.#products.release();
    await this.#residuals.close();
  }

  async #searchOne(query: Float32Array, { k, exhaustive, among }: SearchOptions): Promise<Scored> {
    const late = await this.#prepared(query);
    const kernel = this.#takeKernel(vectorsFor(late.rows));
    try {
      const documents = exhaustive
        ? this.#allDocuments(among)
        : await this.#candidates(kernel, late, Math.max(WHOLE.timesK * k, WHOLE.atLeast), among);
      const sums = await this.#sums(kernel, late, documents, 'whole');
      const unit = late.unit * kernel.largestScale;
      return bestDocuments({ documents, scores: sums.map((sum) => unit * sum) }, k);
    } finally {
      this.#kernels.push(kernel);
    }
  }

  /** A query along the directions of the codebook, in units in which no score leaves 16 bits. */
  async #prepared(query: Float32Array): Promise<LateQuery> {
    const { codebook } = this.#codec;
    const turned = await this.#products.of(query, codebook.directions);
    const unit = unitFor(turned, codebook, this.#longestWords);
    const numbers = turned.map((value) => value / unit);
    // [centroids, rows of the query]: what a token's centroid gives to each row lies together.
    const centroids = await this.#products.of(codebook.centroids, numbers);
    return { rows: query.length / codebook.dimension, numbers, centroids, unit };
  }

  #takeKernel(vectors: number): TokenKernel {
    const place = this.#kernels.findIndex((kernel) => kernel.vectors === vectors);
    if (place >= 0) return this.#kernels.splice(place, 1)[0];
    return new TokenKernel(this.#codec, { vectors, longest: this.#longestDocument });
  }

  /** Those with rows: others are never found. */
  #allDocuments(among: Uint8Array | undefined): Uint32Array {
    const all = Uint32Array.from({ length: this.metadata.count }, (_, document) => document);
    return all.filter((document) => this.#tokensOf(document) > 0 && among?.[document] !== 0);
  }

  /** Documents to compare by whole rows, so many: by less and less of them the more there are. */
  async #candidates(
    kernel: TokenKernel,
    late: LateQuery,
    wanted: number,
    among: Uint8Array | undefined,
  ): Promise<Uint32Array> {
    let likely = this.#finder
      .find(late.centroids, late.rows, { most: wanted * PER_WHOLE.centroids, least: wanted, among })
      // Ascending, so that documents that lie together are read together.
      .sort();
    for (const [by, most] of [
      ['centroids', wanted * PER_WHOLE.part],
      ['part', wanted],
    ] as const) {
      if (likely.length <= most) continue;
      const before = likely;
      const sums = await this.#sums(kernel, late, before, by);
      likely = placesOfBest(sums, most).map((place) => before[place]);
    }
    return likely;
  }

  /** Σᵢ maxⱼ for each document, in the query's units. None of them is without rows. */
  async #sums(
    kernel: TokenKernel,
    late: LateQuery,
    documents: Uint32Array,
    by: Extent,
  ): Promise<Float32Array> {
    const sums = new Float32Array(documents.length);
    for (let first = 0; first < late.rows; first += MOST_QUERY_ROWS) {
      kernel.load(late, first);
      for (let start = 0; start < documents.length; ) {
        const end = await this.#fill(kernel, documents, start, by);
        const found = kernel.sums(end - start, by);
        for (let i = 0; i < found.length; i++) sums[start + i] += found[i];
        start = end;
      }
    }
    return sums;
  }

  /** Puts as many documents as there is room for, from `start` on, where the kernel compares them; returns where they end. */
  async #fill(kernel: TokenKernel, documents: Uint32Array, start: number, by: Extent): Promise<number> {
    const { rowBytes } = this.#codec;
    let [end, filled] = [start, 0];
    for (; end < documents.length && end - start < kernel.documents; end++) {
      const document = documents[end];
      const tokens = this.#tokensOf(document);
      if (filled + tokens > kernel.capacity) break;
      kernel.counts[end - start] = tokens;
      let codes = this.#codesOf(document);
      if (by !== 'centroids') {
        const read = this.#packedOf(document);
        // What is in memory is not waited for: there are many documents.
        const packed = read instanceof Uint8Array ? read : await read;
        kernel.packed.set(packed, filled * rowBytes);
        codes = this.#codec.scaled(codes, packed);
      }
      kernel.codes.set(codes, filled);
      filled += tokens;
    }
    return end;
  }

  #tokensOf(document: number): number {
    return this.offsets[document + 1] - this.offsets[document];
  }

  #codesOf(document: number): Uint32Array {
    return this.#codes.subarray(this.offsets[document], this.offsets[document + 1]);
  }

  #packedOf(document: number): Uint8Array | Promise<Uint8Array> {
    const { rowBytes } = this.#codec;
    return this.#residuals.bytes(this.offsets[document] * rowBytes, this.offsets[document + 1] * rowBytes);
  }
}

function transposed(square: Float32Array, size: number): Float32Array {
  return square.map((_, i) => square[(i % size) * size + Math.floor(i / size)]);
}
