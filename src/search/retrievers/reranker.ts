import type { Explainer } from '../explain/explanation.js';

/** What a cross-encoder's part of a score is called. */
export const CROSS_ENCODER_PART = 'cross-encoder';
/** What the part of an encoder is called that compares rows exactly. */
export const LATE_PART = 'late';

export interface RerankOptions {
  /** Stops between batches where nobody waits for the scores any more. */
  signal?: AbortSignal;
}

/** Scores texts for a query one by one, more exactly and far more slowly than an index does. */
export interface Reranker extends Explainer {
  /** What the part of the score is called, e.g. `cross-encoder`. */
  readonly name: string;
  /** Tells rerankers apart that score differently, e.g. SHA-256 of the weights. */
  readonly fingerprint: string;
  /** One score a text, higher is better. */
  score(query: string, texts: readonly string[], options?: RerankOptions): Promise<Float32Array>;
  close(): Promise<void>;
}
