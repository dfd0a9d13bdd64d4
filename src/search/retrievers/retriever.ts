import type { Explanation } from '../explain/explanation.js';
import type { DocumentFilter } from '../filter/filter.js';

/** The name of a way to search: `bm25`, `dense`, `hybrid`, `cascade`, or one that was registered. */
export type SearchMode = string;

/** What one part of a retriever gave to a hit's score; how a model came to it, of the first 20 hits. */
export interface ScorePart extends Explanation {
  /** E.g. `bm25`, `dense`, `cross-encoder`. */
  name: string;
  /** As that part scored it, before fusion; absent where the part did not find the document. */
  score?: number;
  /** From 1, in that part's own ranking. */
  rank?: number;
  /** What it added to the fused score. */
  contribution?: number;
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
