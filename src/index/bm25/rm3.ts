import type { Bm25Index } from './bm25-index.js';
import type { WeightedQuery } from './query-terms.js';
import type { Bm25Searcher } from './searcher.js';

export interface Rm3Options {
  /** Documents whose terms are taken. Default 10. */
  feedbackDocuments?: number;
  /** Terms taken from each document, and in all. Default 10. */
  feedbackTerms?: number;
  /** The original query's share of the expanded one, 0 to 1. Default 0.5. */
  originalWeight?: number;
}

export const RM3_DEFAULTS: Required<Rm3Options> = {
  feedbackDocuments: 10,
  feedbackTerms: 10,
  originalWeight: 0.5,
};

/** Terms in more than this share of the documents are no feedback: they act as stop words. */
const MAX_DOCUMENT_SHARE = 0.1;

/** What may be a feedback term: as in Anserini for English, letters and digits of any script otherwise. */
const ENGLISH_TERM = /^[a-z0-9]{2,20}$/;
const ANY_TERM = /^[\p{L}\p{N}]{2,20}$/u;

/**
 * Expands a query by pseudo-relevance feedback: relevance model 3 (Lavrenko & Croft 2001; Abdul-Jaleel et al. 2004)
 * with the choices of Anserini's Rm3Reranker. The best documents are taken for relevant, each in proportion to its
 * score, and the strongest terms of their mixture are added to the query.
 *
 * @example
 * const query = expandRm3(searcher, 'vitamin D and bone density');
 * const { ids, scores } = searcher.searchTerms(query, 1000);
 */
export function expandRm3(searcher: Bm25Searcher, text: string, options: Rm3Options = {}): WeightedQuery {
  const { feedbackDocuments, feedbackTerms, originalWeight } = { ...RM3_DEFAULTS, ...options };
  const original = toUnitSum(searcher.parse(text));
  const { ids, scores } = searcher.searchTerms(original, feedbackDocuments);
  const mixture = new Map<string, number>();
  for (let i = 0; i < ids.length; i++) {
    const model = toUnitSum(strongest(feedbackVector(searcher.index, ids[i]), feedbackTerms));
    for (const [term, share] of model) mixture.set(term, (mixture.get(term) ?? 0) + share * scores[i]);
  }
  const feedback = toUnitSum(strongest(mixture, feedbackTerms));
  const expanded = new Map<string, number>();
  for (const [term, share] of original) expanded.set(term, originalWeight * share);
  for (const [term, share] of feedback) {
    expanded.set(term, (expanded.get(term) ?? 0) + (1 - originalWeight) * share);
  }
  return expanded;
}

function feedbackVector(index: Bm25Index, document: number): Map<string, number> {
  const allowed = index.meta.language === 'en' ? ENGLISH_TERM : ANY_TERM;
  const limit = MAX_DOCUMENT_SHARE * index.documents;
  const { terms, frequencies } = index.vector(document);
  const vector = new Map<string, number>();
  for (let i = 0; i < terms.length; i++) {
    if (index.terms.documentFrequency(terms[i]) > limit) continue;
    const term = index.terms.term(terms[i]);
    if (allowed.test(term)) vector.set(term, frequencies[i]);
  }
  return vector;
}

/** The `count` terms that weigh most; equal weights in alphabetical order. */
function strongest(weights: Map<string, number>, count: number): Map<string, number> {
  const order = ([a, x]: [string, number], [b, y]: [string, number]): number => y - x || (a < b ? -1 : 1);
  return new Map([...weights].sort(order).slice(0, count));
}

function toUnitSum(weights: WeightedQuery): Map<string, number> {
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
  return new Map([...weights].map(([term, weight]) => [term, weight / sum]));
}
