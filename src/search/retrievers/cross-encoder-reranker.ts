import { CrossEncoder } from '../../model/cross-encoder/cross-encoder.js';
import { loadCrossEncoder } from '../../model/cross-encoder/cross-encoder-model.js';
import { weightsFingerprint } from '../../model/folder/weights-fingerprint.js';
import type { EncodingSession } from '../../model/precision/precision.js';
import { bestModel } from '../../run/best-model.js';
import { CROSS_ENCODER_PART, type Reranker } from './reranker.js';

/** Opens a trained cross-encoder, or the best one of a run, in this thread, which is blocked while it scores. */
export async function openCrossEncoder(model: string, session?: EncodingSession): Promise<Reranker> {
  const loaded = await loadCrossEncoder(await bestModel(model));
  const encoder = await CrossEncoder.create(loaded, { session });
  return {
    name: CROSS_ENCODER_PART,
    fingerprint: weightsFingerprint(loaded.parameters),
    score: (query, texts) => encoder.score(query, texts),
    close: () => encoder.release(),
  };
}
