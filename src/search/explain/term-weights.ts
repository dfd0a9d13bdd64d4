import { documentImpacts } from '../../model/scorer/impact.js';

/** What a model of terms makes of a document, whatever was asked. */
export interface TermWeights {
  /** The document as the model read it: each token, and what it weighs. */
  document: { token: string; weight: number }[];
  /** Terms that weigh without standing in what was read, the heaviest first. */
  expansion: { term: string; weight: number }[];
}

/** More than anybody reads; a document may be expanded with hundreds. */
const MOST_EXPANSION = 20;

/** The learned weights of a document in its text, and the terms that it was expanded with. */
export function termWeights(
  rows: Float32Array,
  tokens: readonly string[],
  nameOf: (term: number) => string,
): TermWeights {
  const weights = new Map([...documentImpacts(rows)].map(([term, weight]) => [nameOf(term), weight]));
  const read = new Set(tokens);
  return {
    document: tokens.map((token) => ({ token, weight: weights.get(token) ?? 0 })),
    expansion: [...weights]
      .filter(([term]) => !read.has(term))
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_EXPANSION)
      .map(([term, weight]) => ({ term, weight })),
  };
}
