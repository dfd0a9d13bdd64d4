import type { DocumentFilter } from '../filter/filter.js';
import type { TokenMatches } from '../token-matches.js';

/** The name of a way to search: `bm25`, `dense`, `hybrid`, `cascade`, or one that was registered. */
export type SearchMode = string;

/** What one part of a retriever gave to a hit's score. */
export interface ScorePart {
  /** E.g. `bm25`, `dense`, `cross-encoder`. */
  name: string;
  /** As that part scored it, before fusion; absent where the part did not find the document. */
  score?: number;
  /** From 1, in that part's own ranking. */
  rank?: number;
  /** What it added to the fused score. */
  contribution?: number;
  /** BM25 only: the query's terms and what each gave. */
  terms?: { term: string; score: number }[];
  /** Models whose rows are tokens: which of the document's tokens each of the query's chose. Of the first 20 hits. */
  matches?: TokenMatches;
}

export interface Hit {
  id: string;
  score: number;
  /** With `explain`. */
  parts?: ScorePart[];
}

export interface RetrieveOptions {
  /** Hits for each query. */
  k: number;
  /** Only documents whose metadata match. */
  filter?: DocumentFilter;
  /** Says how each score came about. */
  explain?: boolean;
  /** Told how many queries were done. */
  onDone?: (queries: number) => void;
  /** Stops between batches where nobody waits for the hits any more. */
  signal?: AbortSignal;
}

/** Finds the best documents for queries: every way of searching looks like this. */
export interface Retriever {
  readonly mode: SearchMode;
  /** Hits of each query, best first; equal scores in ascending order of ids. */
  search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]>;
  close(): Promise<void>;
}
