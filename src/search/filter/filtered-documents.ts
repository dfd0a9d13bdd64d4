import { LRUCache } from 'lru-cache';
import { NearmissError } from '../../base/errors.js';
import { compileFilter, type DocumentFilter } from './filter.js';

/** The documents that a filter lets through. */
export interface AllowedDocuments {
  readonly count: number;
  has(id: string): boolean;
}

/** A collection whose metadata can be read through in the order of its documents. */
export interface FilterableDocuments {
  readonly count: number;
  /** The document's place in the collection, or −1. */
  indexOf(id: string): number;
  metadata(): AsyncIterable<Record<string, unknown> | undefined>;
}

/** Memory for the answers to filters asked before. */
const CACHE_BYTES = 32 * 2 ** 20;

/**
 * Answers filters. A filter is applied to the whole collection once, in one pass over its metadata, so that a search
 * knows how many documents to expect and can fetch as far as it must.
 */
export class FilteredDocuments {
  readonly #documents: FilterableDocuments | undefined;
  readonly #known = new LRUCache<string, Promise<AllowedDocuments>>({
    maxSize: CACHE_BYTES,
    sizeCalculation: () => 1 + (this.#documents?.count ?? 0),
  });

  /** @param documents left out where an index is searched without its collection */
  constructor(documents?: FilterableDocuments) {
    this.#documents = documents;
  }

  /** Undefined where everything is allowed. */
  async allowed(filter: DocumentFilter | undefined): Promise<AllowedDocuments | undefined> {
    if (filter === undefined || Object.keys(filter).length === 0) return undefined;
    if (this.#documents === undefined) {
      throw new NearmissError('filter: there is no collection whose metadata could be filtered', {
        hint: 'name it with --data',
      });
    }
    const key = JSON.stringify(filter);
    const known = this.#known.get(key) ?? apply(filter, this.#documents);
    this.#known.set(key, known);
    known.catch(() => this.#known.delete(key));
    return known;
  }
}

async function apply(filter: DocumentFilter, documents: FilterableDocuments): Promise<AllowedDocuments> {
  const matches = compileFilter(filter);
  const allowed = new Uint8Array(documents.count);
  let count = 0;
  let place = 0;
  for await (const metadata of documents.metadata()) {
    if (matches(metadata)) {
      allowed[place] = 1;
      count++;
    }
    place++;
  }
  return { count, has: (id) => allowed[documents.indexOf(id)] === 1 };
}
