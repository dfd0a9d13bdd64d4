import type { TermMatch } from './term-matches.js';
import type { TermWeights } from './term-weights.js';
import type { TokenMatches } from './token-matches.js';

/** How a model came to the score of a query and a text. */
export interface Explanation {
  /** BM25, and models whose rows are terms: what the query's terms gave. */
  terms?: TermMatch[];
  /** Models whose rows are terms: what the document's weigh, whatever was asked. */
  weights?: TermWeights;
  /** Models whose rows are tokens: which of the document's tokens each of the query's chose. */
  matches?: TokenMatches;
}

/** What can tell how it scored texts for a query. */
export interface Explainer {
  readonly explain?: ((query: string, texts: readonly string[]) => Promise<Explanation[]>) | undefined;
}

/** Hits of a list that a model explains: each has to be encoded again. */
export const MOST_EXPLAINED_HITS = 20;
