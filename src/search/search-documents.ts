import type { DocumentStore } from './document-store.js';
import type { Hit, RetrieveOptions, Retriever, SearchMode } from './retrievers/retriever.js';

export interface SearchOptions extends Omit<RetrieveOptions, 'k'> {
  /** Hits for each query. Default 10. */
  k?: number;
  /** Default: the searcher's own. */
  mode?: SearchMode;
}

/** A hit with what was found. */
export interface FoundDocument extends Hit {
  /** Absent where the document has none. */
  title?: string;
  /** Empty where the collection is not at hand, as with an index alone. */
  text: string;
  metadata?: Record<string, unknown>;
}

/** One query's hits, best first; or for several queries, those of each. */
export interface Search {
  (query: string, options?: SearchOptions): Promise<FoundDocument[]>;
  (queries: readonly string[], options?: SearchOptions): Promise<FoundDocument[][]>;
}

/** What a search is done with. */
interface Searched {
  readonly defaultMode: SearchMode;
  readonly documents: DocumentStore;
  retriever(mode: SearchMode): Retriever;
}

const DEFAULT_K = 10;

/** The `search` of a searcher: asks the retriever of a mode and looks up what it found. */
export function searchDocuments(searched: Searched): Search {
  async function search(query: string, options?: SearchOptions): Promise<FoundDocument[]>;
  async function search(queries: readonly string[], options?: SearchOptions): Promise<FoundDocument[][]>;
  async function search(
    query: string | readonly string[],
    { mode = searched.defaultMode, k = DEFAULT_K, ...options }: SearchOptions = {},
  ): Promise<FoundDocument[] | FoundDocument[][]> {
    const queries = typeof query === 'string' ? [query] : query;
    const found = await searched.retriever(mode).search(queries, { ...options, k });
    const ids = [...new Set(found.flat().map(({ id }) => id))];
    const documents = await searched.documents.getAll(ids);
    const byId = new Map(ids.map((id, i) => [id, documents[i] ?? { id, text: '' }]));
    const hits = found.map((each) => each.map((hit) => ({ ...byId.get(hit.id)!, ...hit })));
    return typeof query === 'string' ? hits[0] : hits;
  }
  return search;
}
