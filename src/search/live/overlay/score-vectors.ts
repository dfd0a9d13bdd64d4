import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScoredSlots } from './live-hits.js';
import type { OverlayState } from './overlay.js';

/** Multiplications after which others get their turn: a few milliseconds' work. */
const UNINTERRUPTED = 4_000_000;

/**
 * The inner product of each query with each added document's best vector (MaxP), slot by slot. Compares all of them: an
 * overlay is small, and its vectors change too often for an index.
 */
export async function scoreVectors(
  queries: readonly Float32Array[],
  writes: OverlayState,
): Promise<ScoredSlots[]> {
  const results = queries.map((): ScoredSlots => ({ slots: [], scores: [] }));
  let work = 0;
  for (let slot = 0; slot < writes.slots; slot++) {
    const vectors = writes.at(slot)?.vectors;
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
    const product = innerProduct(query, vectors, start);
    if (product > best) best = product;
  }
  // As precise as the scores of an index, so that equal vectors have equal scores as far as possible.
  return Math.fround(best);
}

/** Four sums that do not wait for each other. */
function innerProduct(query: Float32Array, vectors: Float32Array, start: number): number {
  const { length } = query;
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += query[i] * vectors[start + i];
    b += query[i + 1] * vectors[start + i + 1];
    c += query[i + 2] * vectors[start + i + 2];
    d += query[i + 3] * vectors[start + i + 3];
  }
  for (; i < length; i++) a += query[i] * vectors[start + i];
  return a + b + (c + d);
}
