import { TopK } from '../../../base/top-k.js';
import type { Turn } from '../../../base/turn.js';
import { fetchEnough } from '../../fetch-enough.js';
import { compileFilter, type DocumentFilter } from '../../filter/filter.js';
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

/** Whether the document in a slot may be found. */
export type AllowedSlots = (slot: number) => boolean;

/** The slots that a filter lets through; each is asked about once, however many queries there are. */
export function allowedSlots(filter: DocumentFilter | undefined, writes: OverlayState): AllowedSlots {
  if (filter === undefined) return () => true;
  const matches = compileFilter(filter);
  const known = new Int8Array(writes.slots);
  return (slot) => {
    known[slot] ||= matches(writes.at(slot)?.document.metadata) ? 1 : -1;
    return known[slot] > 0;
  };
}

interface BestHitsOptions {
  k: number;
  writes: OverlayState;
  allowed: AllowedSlots;
  /** Filters may take long. */
  turn: Turn;
  signal?: AbortSignal;
}

/** The best k added documents, in the order of all hits. */
export async function bestLiveHits(
  { slots, scores }: ScoredSlots,
  { k, writes, allowed, turn, signal }: BestHitsOptions,
): Promise<LiveHit[]> {
  const best = new TopK(k);
  for (let i = 0; i < slots.length; i++) {
    if (scores[i] >= best.threshold && allowed(slots[i])) best.push(slots[i], scores[i]);
    if (turn.isOver) await turn.next(signal);
  }
  // Among documents with the k-th score the smallest ids win, not the first slots.
  const least = best.size < k ? Number.NEGATIVE_INFINITY : best.threshold;
  const hits: LiveHit[] = [];
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i];
    if (scores[i] >= least && allowed(slot)) hits.push({ id: writes.at(slot)!.id, score: scores[i], slot });
    if (turn.isOver) await turn.next(signal);
  }
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
  signal?: AbortSignal;
}

/**
 * The best k of base and added documents for each query. As many more hits are fetched from the base as it takes to
 * have k that are not hidden, first up to k more, then twice as many.
 */
export async function mergeHits({ k, writes, live, fetch, signal }: MergeOptions): Promise<Hit[][]> {
  const mostHidden = writes.counts.documents + writes.counts.removals;
  const results: Hit[][] = live.map(() => []);
  await fetchEnough({
    queries: live.length,
    n: k + Math.min(mostHidden, k),
    most: k + mostHidden,
    fetch,
    signal,
    take: (query, found, n) => {
      const visible = found.filter(({ id }) => writes.entry(id) === undefined);
      results[query] = [...visible, ...live[query]].sort(compareHits).slice(0, k);
      return visible.length >= k || found.length < n;
    },
  });
  return results;
}
