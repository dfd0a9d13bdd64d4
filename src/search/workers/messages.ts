import type { SessionOptions } from '../../engine/index.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import type { TextUse } from '../embedder.js';

/** What a model worker loads. */
export interface WorkerStart {
  kind: 'embedder' | 'reranker';
  model: string;
  session?: SessionOptions;
}

/** Texts to encode, as a whole or in pieces, or to score for a query. */
export type WorkerTask =
  | { kind: 'encode'; texts: readonly string[]; use: TextUse }
  | { kind: 'encode pieces of'; texts: readonly string[]; split: SplitTokensOptions }
  | { kind: 'score'; query: string; texts: readonly string[] };

/** One array for everything that was asked for; of pieces, one for each text. */
export type WorkerReply = Float32Array[];
