import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { NearmissError } from '../../base/errors.js';
import { Turn } from '../../base/turn.js';
import { compileFilter, type DocumentFilter, type FilterMatcher } from './filter.js';

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
/** What an answer takes besides a byte a document: its key, its promise, its place among the others. */
const ENTRY_BYTES = 1024;

/**
 * Answers filters. A filter is applied to the whole collection once, in one pass over its metadata, so that a search
 * knows how many documents to expect and can fetch as far as it must. The pass leaves this thread to others every few
 * milliseconds.
 */
export class FilteredDocuments {
  readonly #documents: FilterableDocuments | undefined;
  readonly #known = new LRUCache<string, Promise<AllowedDocuments>>({
    maxSize: CACHE_BYTES,
    sizeCalculation: () => ENTRY_BYTES + (this.#documents?.count ?? 0),
  });

  /** @param documents left out where an index is searched without its collection */
  constructor(documents?: FilterableDocuments) {
    this.#documents = documents;
  }

  /** Undefined where everything is allowed. */
  async allowed(
    filter: DocumentFilter | undefined,
    signal?: AbortSignal,
  ): Promise<AllowedDocuments | undefined> {
    if (filter === undefined || Object.keys(filter).length === 0) return undefined;
    const documents = this.#documents;
    if (documents === undefined) {
      throw new NearmissError('filter: there is no collection whose metadata could be filtered', {
        hint: 'name it with --data',
      });
    }
    // Refuses what is too large before anything else is made of it.
    const matches = compileFilter(filter);
    // The filter itself may be as large as the answer: what is kept is its hash.
    const key = createHash('sha256').update(JSON.stringify(filter)).digest('base64');
    for (;;) {
      signal?.throwIfAborted();
      const shared = this.#known.get(key);
      if (shared === undefined) return this.#begin(key, { matches, documents, signal });
      try {
        return await shared;
      } catch (error) {
        // Whoever began it did not want it any more; somebody who does begins it again.
        if (!isAbort(error)) throw error;
      }
    }
  }

  #begin(key: string, pass: Pass): Promise<AllowedDocuments> {
    const allowed = apply(pass);
    this.#known.set(key, allowed);
    allowed.catch(() => {
      if (this.#known.peek(key) === allowed) this.#known.delete(key);
    });
    return allowed;
  }
}

/** Whatever a signal was aborted with, the pass tells it by this. */
class PassAbandoned extends Error {}

function isAbort(error: unknown): boolean {
  return error instanceof PassAbandoned;
}

interface Pass {
  matches: FilterMatcher;
  documents: FilterableDocuments;
  signal?: AbortSignal;
}

async function apply({ matches, documents, signal }: Pass): Promise<AllowedDocuments> {
  const allowed = new Uint8Array(documents.count);
  let count = 0;
  let place = 0;
  const turn = await Turn.begin();
  for await (const metadata of documents.metadata()) {
    if (matches(metadata)) {
      allowed[place] = 1;
      count++;
    }
    place++;
    if (!turn.isOver) continue;
    await turn.next();
    if (signal?.aborted)
      throw new PassAbandoned('the filter is not wanted any more', { cause: signal.reason });
  }
  return { count, has: (id) => allowed[documents.indexOf(id)] === 1 };
}
