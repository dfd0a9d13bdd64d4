import type { Document } from '../../data/index.js';
import { type Analyzer, analyze, englishAnalyzer } from '../../text/analyzers/index.js';
import { contentTerms } from './function-words.js';
import { makeSnippet, type QueryTerms, type Snippet } from './snippet.js';

/** How a query's words are compared and weighed, so that those that were found can be shown. */
export interface QueryWords {
  readonly analyzer: Analyzer;
  /** How much each term of a query counts that the documents have. */
  weights(query: string): ReadonlyMap<string, number>;
}

/** Where nothing is known of the documents' words. */
export const PLAIN_WORDS: QueryWords = {
  analyzer: englishAnalyzer,
  weights: (query) => new Map(analyze(englishAnalyzer, query).map((term) => [term, 1])),
};

/** The terms of a query that are worth marking in a text. */
export function termsOf(words: QueryWords, query: string): QueryTerms {
  return { analyzer: words.analyzer, terms: contentTerms(words.weights(query)) };
}

/** The part of a document's text to show for a query. */
export function snippetOf(
  searcher: { queryTerms(query: string): QueryTerms },
  query: string | QueryTerms,
  { text }: Document,
  options: { length?: number } = {},
): Snippet {
  const terms = typeof query === 'string' ? searcher.queryTerms(query) : query;
  return makeSnippet(text, { ...terms, ...options });
}
