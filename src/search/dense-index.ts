import { findsDocuments } from '../index/vectors/document-files.js';
import type { DocumentIndex } from '../index/vectors/index.js';
import { stackRows } from '../model/encoder/encoded-texts.js';
import { Batcher } from './batching/batcher.js';
import { checkK, rowsOf } from './check-search.js';
import { type Candidates, fetchHits } from './fetch-hits.js';
import type { AllowedDocuments, FilteredDocuments } from './filter/filtered-documents.js';
import type { VectorFinder } from './retrievers/open-mode.js';
import type { Hit } from './retrievers/retriever.js';
import type { SearchVectorsOptions } from './searcher.js';

interface Item {
  /** The rows of a query. */
  vector: Float32Array;
  n: number;
  /** The documents that may be found, where the index itself leaves the others out. */
  among?: Numbered;
}

/** Documents by their numbers in the index. */
interface Numbered {
  /** Not 0 for each. */
  numbers: Uint8Array;
  /** Tells them from others: searches among the same documents are done together. */
  key: number;
}

/** Vectors compared in one go. */
const VECTORS_AT_ONCE = 64;

/** Finds documents by vectors, with filters; concurrent searches are done together. */
export class DenseIndex implements VectorFinder {
  readonly #index: DocumentIndex;
  readonly #filters: FilteredDocuments;
  readonly #present: AllowedDocuments | undefined;
  readonly #batcher: Batcher<Item, Candidates>;
  /** Documents that filters allow, by their numbers in the index; made once for each filter that is remembered. */
  readonly #numbered = new WeakMap<AllowedDocuments, Numbered>();
  #keys = 0;

  /** @param present the documents that are still there, where the collection has lost some since it was encoded */
  constructor(index: DocumentIndex, filters: FilteredDocuments, present?: AllowedDocuments) {
    this.#index = index;
    this.#filters = filters;
    this.#present = present;
    this.#batcher = new Batcher({
      budget: VECTORS_AT_ONCE,
      key: ({ n, among }) => (among ? `${n} among ${among.key}` : n),
      run: (items) => this.#searchTogether(items),
    });
  }

  get dimension(): number {
    return this.#index.vectors.metadata.dimension;
  }

  get scorer(): string | undefined {
    const { type, scorer } = this.#index.vectors.metadata;
    return type === 'tokens' ? 'max-sim' : scorer;
  }

  async search(
    vectors: Float32Array,
    { k, filter, signal, offsets }: SearchVectorsOptions,
  ): Promise<Hit[][]> {
    checkK(k);
    const rows = rowsOf(vectors, this.dimension, offsets);
    const allowed = (await this.#filters.allowed(filter, signal)) ?? this.#present;
    const among =
      allowed && findsDocuments(this.#index.vectors.metadata) ? this.#numberedOf(allowed) : undefined;
    const found = await fetchHits({
      queries: rows.length,
      k,
      total: this.#index.count,
      ...(!among && { allowed }),
      idOf: (number) => this.#idOf(number),
      fetch: (wanted, n) =>
        this.#batcher.addAll(
          wanted.map((i) => ({ vector: rows[i], n, among })),
          { signal },
        ),
      signal,
    });
    return found.map((hits) => hits.map(({ id, score }) => ({ id, score })));
  }

  /** Takes no more work; the index itself is closed by whoever opened it. */
  async close(): Promise<void> {
    this.#batcher.close();
  }

  #idOf(number: number): string {
    return this.#index.ids?.idAt(number) ?? String(number);
  }

  #numberedOf(allowed: AllowedDocuments): Numbered {
    let numbered = this.#numbered.get(allowed);
    if (!numbered) {
      const numbers = Uint8Array.from({ length: this.#index.count }, (_, i) =>
        Number(allowed.has(this.#idOf(i))),
      );
      numbered = { numbers, key: this.#keys++ };
      this.#numbered.set(allowed, numbered);
    }
    return numbered;
  }

  async #searchTogether(items: readonly Item[]): Promise<Candidates[]> {
    const [{ n, among }] = items;
    const { dimension } = this;
    const { vectors, offsets: queryOffsets } = stackRows(
      items.map(({ vector }) => vector),
      dimension,
    );
    const { ids, scores } = await this.#index.search(vectors, {
      k: n,
      queryOffsets,
      ...(among && { among: among.numbers }),
    });
    return items.map((_, i) => {
      const missing = ids.subarray(i * n, (i + 1) * n).indexOf(-1);
      const end = missing < 0 ? (i + 1) * n : i * n + missing;
      return { ids: ids.subarray(i * n, end), scores: scores.subarray(i * n, end) };
    });
  }
}
