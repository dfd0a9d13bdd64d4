import { innerProduct } from '../../../base/numbers/inner-product.js';
import type { Turn } from '../../../base/turn.js';
import type { Scorer } from '../../../model/scorer/scorer.js';
import type { ScoredSlots } from './live-hits.js';
import type { OverlayState } from './overlay.js';

export interface ScoreVectorsOptions {
  dimension: number;
  /** Default: the best inner product. */
  scorer?: string;
  turn: Turn;
  signal?: AbortSignal;
}

/**
 * The inner product of each query with each added document's best vector (MaxP), or what a scorer makes of their rows, slot by
 * slot. Compares all of them: an overlay is small, and its vectors change too often for an index.
 */
export async function scoreVectors(
  queries: readonly Float32Array[],
  writes: OverlayState,
  { dimension, scorer, turn, signal }: ScoreVectorsOptions,
): Promise<ScoredSlots[]> {
  const made = scorer === undefined ? undefined : await scorerNamed(scorer);
  const score = (query: Float32Array, rows: Float32Array): number =>
    made ? Math.fround(made.score(query, rows, dimension)) : bestProduct(query, rows);
  const results = queries.map((): ScoredSlots => ({ slots: [], scores: [] }));
  for (let slot = 0; slot < writes.slots; slot++) {
    const vectors = writes.at(slot)?.vectors;
    if (vectors === undefined) continue;
    results.forEach(({ slots, scores }, i) => {
      const scored = score(queries[i], vectors);
      if (scored === 0 && made?.zeroIsNoHit) return;
      slots.push(slot);
      scores.push(scored);
    });
    if (turn.isOver) await turn.next(signal);
  }
  return results;
}

/** The engine comes with the scorers, and most models have no use for either here. */
async function scorerNamed(name: string): Promise<Scorer> {
  const { scorers } = await import('../../../model/scorer/kinds.js');
  return scorers.get(name).create({});
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
