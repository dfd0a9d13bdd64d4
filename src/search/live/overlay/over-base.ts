import type { Document } from '../../../data/index.js';
import type { Reranker } from '../../retrievers/reranker.js';
import type { Retriever, SearchMode } from '../../retrievers/retriever.js';
import { type Search, searchDocuments } from '../../search-documents.js';
import type { Searcher } from '../../searcher.js';
import { snippetOf } from '../../snippet/query-words.js';
import type { QueryTerms, Snippet } from '../../snippet/snippet.js';

/** What documents added and removed do not change: it is as the base has it. */
export abstract class OverBase {
  protected abstract get base(): Searcher;
  abstract readonly documents: Searcher['documents'];
  abstract retriever(mode: SearchMode): Retriever;
  abstract queryTerms(query: string): QueryTerms;

  readonly search: Search = searchDocuments(this);

  snippet(query: string | QueryTerms, document: Document, options?: { length?: number }): Snippet {
    return snippetOf(this, query, document, options);
  }

  get name(): string {
    return this.base.name;
  }

  get modes(): readonly SearchMode[] {
    return this.base.modes;
  }

  get defaultMode(): SearchMode {
    return this.base.defaultMode;
  }

  get model(): Searcher['model'] {
    return this.base.model;
  }

  get reranker(): Reranker | undefined {
    return this.base.reranker;
  }
}
