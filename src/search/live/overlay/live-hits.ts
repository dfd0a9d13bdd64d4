import { TopK } from '../../../base/top-k.js';
import { fetchEnough } from '../../fetch-enough.js';
import type { FilterMatcher } from '../../filter/filter.js';
import { compareHits } from '../../hits.js';
import type { Hit } from '../../retrievers/retriever.js';
import type { OverlayState } from './overlay.js';

/** Scores of some slots of an overlay. */
export interface ScoredSlots {
  slots: number[];
  scores: number[];
}

/** A hit that knows its slot. */
export interface LiveHit extends Hit {
  slot: number;
}

/** The best k added documents, in the order of all hits. */
export function bestLiveHits(
  { slots, scores }: ScoredSlots,
  { k, writes, matches }: { k: number; writes: OverlayState; matches?: FilterMatcher },
): LiveHit[] {
  const allowed = (slot: number): boolean => !matches || matches(writes.at(slot)?.document.metadata);
  const best = new TopK(k);
  slots.forEach((slot, i) => {
    if (scores[i] >= best.threshold && allowed(slot)) best.push(slot, scores[i]);
  });
  // Among documents with the k-th score the smallest ids win, not the first slots.
  const least = best.size < k ? Number.NEGATIVE_INFINITY : best.threshold;
  const hits: LiveHit[] = [];
  slots.forEach((slot, i) => {
    if (scores[i] >= least && allowed(slot)) hits.push({ id: writes.at(slot)!.id, score: scores[i], slot });
  });
  return hits.sort(compareHits).slice(0, k);
}

interface MergeOptions {
  k: number;
  /** They hide what the base has under the same ids. */
  writes: OverlayState;
  /** The added documents' hits of each query. */
  live: readonly (readonly Hit[])[];
  /** The base's best n for some of the queries. */
  fetch: (queries: readonly number[], n: number) => Promise<Hit[][]>;
}

/**
 * The best k of base and added documents for each query. As many more hits are fetched from the base as it takes to
 * have k that are not hidden, first up to k more, then twice as many.
 */
export async function mergeHits({ k, writes, live, fetch }: MergeOptions): Promise<Hit[][]> {
  const mostHidden = writes.counts.documents + writes.counts.removals;
  const results: Hit[][] = live.map(() => []);
  await fetchEnough({
    queries: live.length,
    n: k + Math.min(mostHidden, k),
    most: k + mostHidden,
    fetch,
    take: (query, found, n) => {
      const visible = found.filter(({ id }) => writes.entry(id) === undefined);
      results[query] = [...visible, ...live[query]].sort(compareHits).slice(0, k);
      return visible.length >= k || found.length < n;
    },
  });
  return results;
}
