import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import type { EncodingSession } from '../../model/precision/precision.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import type { EmbedderInfo, TextUse } from '../embedder.js';
import type { Reranker } from '../retrievers/reranker.js';
import type { TokenMatches } from '../token-matches.js';

/** What a model worker says of what it has loaded. */
export interface WorkerInfo {
  embedder: EmbedderInfo;
  reranker: Pick<Reranker, 'name' | 'fingerprint'> & { tokens: boolean };
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
  embedder: { texts: readonly string[]; use: TextUse; split?: SplitTokensOptions } | MatchTask;
  reranker: { query: string; texts: readonly string[] } | MatchTask;
}

/** Both are asked which tokens of texts a query's tokens choose. */
export interface MatchTask {
  matchesOf: string;
  texts: readonly string[];
}

/** What it answers. */
export interface WorkerReplies {
  embedder: EncodedTexts | TokenMatches[];
  reranker: Float32Array | TokenMatches[];
}
