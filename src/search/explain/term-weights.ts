import { TopK } from '../../base/top-k.js';
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

/** The names of terms and their numbers. */
interface TermNames {
  token(id: number): string | undefined;
  id(token: string): number | undefined;
}

/** The learned weights of a document in its text, and the terms that it was expanded with. */
export function termWeights(rows: Float32Array, tokens: readonly string[], names: TermNames): TermWeights {
  const weights = documentImpacts(rows);
  const read = new Map(tokens.map((token) => [token, names.id(token) ?? -1]));
  const numbers = new Set(read.values());
  const heaviest = new TopK(MOST_EXPANSION);
  for (const [term, weight] of weights) if (!numbers.has(term)) heaviest.push(term, weight);
  const { ids } = heaviest.ranked();
  return {
    document: tokens.map((token) => ({ token, weight: weights.get(read.get(token)!) ?? 0 })),
    expansion: Array.from(ids, (id) => ({ term: names.token(id) ?? '', weight: weights.get(id)! })),
  };
}
