import { NearmissError } from '../../base/errors.js';
import { Turn } from '../../base/turn.js';
import { compileFilter, type DocumentFilter, type FilterMatcher } from './filter.js';
import { SharedPasses } from './shared-passes.js';

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
 * knows how many documents to expect and can fetch as far as it must. The pass leaves this thread to others every few
 * milliseconds.
 */
export class FilteredDocuments {
  readonly #documents: FilterableDocuments | undefined;
  readonly #passes = new SharedPasses<AllowedDocuments>({
    bytes: CACHE_BYTES,
    // A byte a document.
    resultBytes: () => this.#documents?.count ?? 0,
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
    return this.#passes.get(filter, (wanted) => apply({ matches, documents, signal: wanted }), signal);
  }
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
  const turn = await Turn.begin(signal);
  for await (const metadata of documents.metadata()) {
    if (matches(metadata)) {
      allowed[place] = 1;
      count++;
    }
    place++;
    if (turn.isOver) await turn.next(signal);
  }
  return { count, has: (id) => allowed[documents.indexOf(id)] === 1 };
}
