import type { Value } from '../engine/index.js';

/** What every loss sees of a batch. */
export interface LossInputs {
  /** [queries, documents]: each query's score with every document of the batch, already scaled. */
  scores: Value;
  /** [queries, documents]: 1 at each query's positive, else 0. Every row has exactly one. */
  positive: Value;
  /** [queries, documents]: 1 at each query's negatives, else 0. Every row has at least one. */
  negative: Value;
}

/**
 * A training objective. Which documents are a query's negatives is not its business but the batch's; it only
 * says how scores become one number.
 */
export interface Loss {
  readonly name: string;
  /**
   * Which documents of the batch are a query's negatives: its `own` sampled ones, or all of the `batch` that
   * are not known to be relevant to it.
   */
  readonly negatives: 'own' | 'batch';
  build(inputs: LossInputs): Value;
}
