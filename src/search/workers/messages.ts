/** What a model worker loads. */
import type { SessionOptions } from '../../engine/index.js';
import type { EmbedderInfo, TextUse } from '../embedder.js';

export interface WorkerStart {
  kind: 'embedder' | 'reranker';
  model: string;
  session?: SessionOptions;
}

/** Texts to encode, or to score for a query. */
export type WorkerTask =
  | { kind: 'encode'; texts: readonly string[]; use: TextUse }
  | { kind: 'score'; query: string; texts: readonly string[] };

export interface WorkerRequest {
  id: number;
  task: WorkerTask;
}

/** The answer to a request; number 0 answers the start, and a reranker has nothing to say of itself. */
export type WorkerReply = { id: number } & (
  | { info: EmbedderInfo | undefined }
  | { values: Float32Array }
  | { error: { message: string; hint?: string } }
);
