import { compareBytes } from '../evaluate/byte-order.js';
import type { Hit } from './retrievers/retriever.js';

/** The order of every list of hits: best first, equal scores in ascending order of ids. */
export function compareHits(a: Pick<Hit, 'id' | 'score'>, b: Pick<Hit, 'id' | 'score'>): number {
  return b.score - a.score || compareBytes(a.id, b.id);
}

/** Explanations with the places of their hits in this list. */
export function ranked(hits: readonly Hit[]): Hit[] {
  return hits.map((hit, i) =>
    hit.parts ? { ...hit, parts: hit.parts.map((part) => ({ ...part, rank: i + 1 })) } : hit,
  );
}
