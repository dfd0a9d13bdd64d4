import type { SessionOptions } from '../../engine/index.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import type { EmbedderInfo, TextUse } from '../embedder.js';
import type { Reranker } from '../retrievers/reranker.js';

/** What a model worker says of what it has loaded. */
export interface WorkerInfo {
  embedder: EmbedderInfo;
  reranker: Pick<Reranker, 'fingerprint'>;
}

/** What a model worker loads. */
export interface WorkerStart {
  kind: keyof WorkerInfo;
  model: string;
  session?: SessionOptions;
  /** Modules whose kinds the model may have. */
  modules: string[];
}

/** Texts to encode, as a whole or in pieces, or to score for a query. */
export type WorkerTask =
  | { kind: 'encode'; texts: readonly string[]; use: TextUse }
  | { kind: 'encode pieces of'; texts: readonly string[]; split: SplitTokensOptions }
  | { kind: 'score'; query: string; texts: readonly string[] };

/** One array for everything that was asked for; of pieces, one for each text. */
export type WorkerReply = Float32Array[];
