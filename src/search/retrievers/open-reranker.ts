import type { SessionOptions } from '../../engine/index.js';
import { isCrossEncoder } from '../../model/cross-encoder/cross-encoder-names.js';
import { bestModel } from '../../run/best-model.js';
import { openCrossEncoder } from './cross-encoder-reranker.js';
import { LATE_PART, type Reranker } from './reranker.js';
import { scoreTexts } from './score-texts.js';

/**
 * Opens what scores texts for a query, in this thread: a cross-encoder, or an encoder whose rows of query and text are
 * compared exactly, e.g. by late interaction. A run stands for its best model.
 *
 * @example
 * const reranker = await openReranker('minilm');
 * const scores = await reranker.score('a near miss', ['almost a hit', 'something else']);
 * await reranker.close();
 */
export async function openReranker(model: string, session?: SessionOptions): Promise<Reranker> {
  const path = await bestModel(model);
  return (await isCrossEncoder(path)) ? openCrossEncoder(path, session) : openEncoder(path, session);
}

async function openEncoder(path: string, session?: SessionOptions): Promise<Reranker> {
  const { LocalEmbedder } = await import('../embedder.js');
  const embedder = await LocalEmbedder.open(path, session);
  return {
    name: LATE_PART,
    fingerprint: embedder.info.fingerprint,
    score: (query, texts) => scoreTexts(embedder, query, texts),
    explain: embedder.explain,
    close: () => embedder.close(),
  };
}
