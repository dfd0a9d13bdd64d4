import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScoredSlots } from './live-hits.js';
import type { OverlayView } from './overlay.js';

/** Multiplications after which others get their turn: a few milliseconds' work. */
const UNINTERRUPTED = 4_000_000;

/**
 * The inner product of each query with each added document's best vector (MaxP), slot by slot. Compares all of them: an
 * overlay is small, and its vectors change too often for an index.
 */
export async function scoreVectors(
  queries: readonly Float32Array[],
  view: OverlayView,
): Promise<ScoredSlots[]> {
  const results = queries.map((): ScoredSlots => ({ slots: [], scores: [] }));
  let work = 0;
  for (let slot = 0; slot < view.slots; slot++) {
    const vectors = view.at(slot)?.vectors;
    if (vectors === undefined) continue;
    results.forEach(({ slots, scores }, i) => {
      slots.push(slot);
      scores.push(bestProduct(queries[i], vectors));
    });
    work += queries.length * vectors.length;
    if (work > UNINTERRUPTED) {
      work = 0;
      await nextTurn();
    }
  }
  return results;
}

function bestProduct(query: Float32Array, vectors: Float32Array): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let start = 0; start < vectors.length; start += query.length) {
    let sum = 0;
    for (let i = 0; i < query.length; i++) sum += query[i] * vectors[start + i];
    if (sum > best) best = sum;
  }
  // As precise as the scores of an index, so that equal vectors have equal scores as far as possible.
  return Math.fround(best);
}
