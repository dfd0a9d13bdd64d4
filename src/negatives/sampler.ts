import type { Random } from '../engine/random.js';

/** One document a query is to be told from, and where it came from. */
export interface Negative {
  document: number;
  /** The name of the source that drew it. */
  source: string;
  /** Rank in the ranking it was drawn from, from 1. */
  rank?: number;
  /** Score in that ranking. */
  score?: number;
  /** The training step of the checkpoint that ranked it. */
  checkpoint?: number;
}

/**
 * Draws negatives for a query. A draw is a pure function of the query and the random stream, so that a resumed run
 * repeats it: pass `Random.from(seed, 'negatives', step, query)`.
 *
 * @example
 * const source = new TableSource({ table, name: 'ann', sampling: 'uniform' });
 * source.sample(query, Random.from(seed, 'negatives', step, query), 8);
 */
export interface NegativeSource {
  readonly name: string;
  /** `count` different negatives, or fewer where there are no more; never a known positive. */
  sample(query: number, random: Random, count: number): Negative[];
}

/** The known positives of a query, ascending. */
export type PositivesOf = (query: number) => Int32Array;
