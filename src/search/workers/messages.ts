import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import type { EncodingSession } from '../../model/precision/precision.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import type { EmbedderInfo, TextUse } from '../embedder.js';
import type { Explanation } from '../explain/explanation.js';
import type { Reranker } from '../retrievers/reranker.js';

/** What a model worker says of what it has loaded. */
export interface WorkerInfo {
  embedder: EmbedderInfo;
  reranker: Pick<Reranker, 'name' | 'fingerprint'> & { explains: boolean };
}

export type WorkerKind = keyof WorkerInfo;

/** What a model worker loads. */
export interface WorkerStart<Kind extends WorkerKind = WorkerKind> {
  kind: Kind;
  model: string;
  session?: EncodingSession;
  /** Modules whose kinds the model may have. */
  modules: string[];
}

/** What a model worker is asked: to encode texts, as a whole or in pieces, or to score them for a query. */
export interface WorkerTasks {
  embedder: { texts: readonly string[]; use: TextUse; split?: SplitTokensOptions } | ExplainTask;
  reranker: { query: string; texts: readonly string[] } | ExplainTask;
}

/** Both are asked which tokens or terms of texts match those of a query. */
export interface ExplainTask {
  explainFor: string;
  texts: readonly string[];
}

/** What it answers. */
export interface WorkerReplies {
  embedder: EncodedTexts | Explanation[];
  reranker: Float32Array | Explanation[];
}
