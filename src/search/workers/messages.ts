import type { SessionOptions } from '../../engine/index.js';
import type { TextUse } from '../embedder.js';

/** What a model worker loads. */
export interface WorkerStart {
  kind: 'embedder' | 'reranker';
  model: string;
  session?: SessionOptions;
}

/** Texts to encode, or to score for a query. */
export type WorkerTask =
  | { kind: 'encode'; texts: readonly string[]; use: TextUse }
  | { kind: 'score'; query: string; texts: readonly string[] };
