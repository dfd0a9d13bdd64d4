import { TopK } from '../../base/top-k.js';
import { type EncodedTexts, rowsOf } from '../../model/encoder/encoded-texts.js';
import { documentImpacts, queryImpacts } from '../../model/scorer/impact.js';
import type { ReadTokens } from './token-matches.js';

/** Terms of a document that are told: a model that nobody taught to be sparse gives tens of thousands. */
export const MOST_TERMS = 100;

/** A term that query and document share, and what it gave to the score. */
export interface TermMatch {
  term: string;
  score: number;
  /** Learned weights only: what the term weighs in the query; times `document` it is the score. */
  query?: number;
  /** Learned weights only: what the term weighs in the document. */
  document?: number;
  /** Which of the two the model expanded with the term: it weighs there without standing in what was read. */
  notIn?: ('query' | 'document')[];
}

/** The terms of learned weights that a query shares with each document, {@link MOST_TERMS} that gave most, those first. */
export function termMatches(
  query: { rows: Float32Array; read: Pick<ReadTokens, 'tokens'> },
  documents: { rows: EncodedTexts; read: readonly Pick<ReadTokens, 'tokens'>[] },
  nameOf: (term: number) => string,
): TermMatch[][] {
  const weights = queryImpacts(query.rows);
  const asked = new Set(query.read.tokens);
  const most = new TopK(MOST_TERMS);
  return documents.read.map(({ tokens }, i) => {
    const read = new Set(tokens);
    const impacts = documentImpacts(rowsOf(documents.rows, i));
    for (const [number, own] of weights) {
      const other = impacts.get(number);
      if (other !== undefined) most.push(number, own * other);
    }
    const { ids, scores } = most.ranked();
    return Array.from(ids, (number, place) => {
      const term = nameOf(number);
      const notIn = [
        ...(asked.has(term) ? [] : ['query' as const]),
        ...(read.has(term) ? [] : ['document' as const]),
      ];
      return {
        term,
        score: scores[place],
        query: weights.get(number)!,
        document: impacts.get(number)!,
        ...(notIn.length > 0 && { notIn }),
      };
    });
  });
}

/** The terms that gave most first. */
export function inOrder<Match extends TermMatch>(matches: Match[]): Match[] {
  return matches.sort((a, b) => b.score - a.score);
}
