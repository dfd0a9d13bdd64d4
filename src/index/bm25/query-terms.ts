import type { Bm25Index } from './bm25-index.js';
import { type CollectionStatistics, roundWeights, type Similarity } from './similarity.js';
import { NOT_FOUND } from './term-dictionary.js';

/** A query as terms and how much each counts. */
export type WeightedQuery = ReadonlyMap<string, number>;

/** A query's term and what its part of a document's score is multiplied by. */
export interface WeightedTerm {
  term: string;
  weight: number;
}

/** A term that an index has, by its number there. */
export interface IndexedTerm extends WeightedTerm {
  number: number;
}

/** Each term as often as it occurs. */
export function countTerms(terms: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** The terms of a query that an index has, as they are weighed there. */
export function weighQuery(query: WeightedQuery, index: Bm25Index, similarity: Similarity): IndexedTerm[] {
  const { terms: dictionary, statistics } = index;
  const found = [...query]
    .map(([term, times]) => ({ term, times, number: dictionary.find(term) }))
    .filter(({ number, times }) => number !== NOT_FOUND && times > 0);
  return weighTerms(found, ({ number }) => dictionary.documentFrequency(number), { similarity, statistics });
}

/** Weighs terms of one query together: their weights are rounded alike. */
export function weighTerms<T extends { times: number }>(
  terms: readonly T[],
  documentFrequency: (term: T) => number,
  { similarity, statistics }: { similarity: Similarity; statistics: CollectionStatistics },
): (T & { weight: number })[] {
  const weights = Float64Array.from(
    terms,
    (term) => term.times * similarity.weight(documentFrequency(term), statistics),
  );
  roundWeights(weights);
  return terms.map((term, i) => ({ ...term, weight: weights[i] }));
}
