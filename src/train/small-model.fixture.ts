import { fillNormal, type ParameterSpec, ParameterStore, Random, randomKey } from '../engine/index.js';
import type { EncoderSpec } from '../model/encoder/encoder-graph.js';
import type { TokenizedText } from '../model/encoder/tokenized-texts.js';
import type { Towers } from '../recipe/recipe.js';
import { towerParameters } from './step/towers.js';
import type { RetrievalBatch } from './task/batch.js';

/** An encoder small enough to train in a second. */
export const SMALL_SPEC: EncoderSpec = {
  config: {
    architecture: 'bert',
    hiddenSize: 16,
    layers: 2,
    heads: 2,
    intermediateSize: 32,
    vocabularySize: 70,
    maxPositions: 32,
    typeVocabularySize: 2,
    layerNormEps: 1e-12,
    hiddenAct: 'gelu',
    hiddenDropout: 0,
    attentionDropout: 0,
    padTokenId: 0,
    positionOffset: 0,
  },
  head: { pooling: 'mean', projection: { size: 12, layerNorm: true }, normalize: true },
};

/** Random weights, larger than BERT's own so that vectors differ from the start; `more` are those that are no part of it. */
export function smallParameters(
  towers: Towers,
  spec = SMALL_SPEC,
  more: (spec: EncoderSpec) => ParameterSpec[] = () => [],
): ParameterStore {
  const parameters = new ParameterStore([
    ...towerParameters(spec, towers),
    ...towerParameters(spec, towers, more),
  ]);
  for (const name of parameters.names) {
    if (/norm\.weight/i.test(name)) parameters.get(name).fill(1);
    else fillNormal(parameters.get(name), 0.2, randomKey(1, name));
  }
  return parameters;
}

/** Queries with a positive and a negative each, all of random tokens; one knows another one's positive. */
export function randomBatch(seed: number, queries = 6): RetrievalBatch {
  const random = Random.from(seed, 'batch');
  const text = (longest: number): TokenizedText => ({
    ids: Int32Array.from({ length: 3 + random.integer(longest) }, () => 5 + random.integer(60)),
  });
  return {
    examples: queries,
    queries: Array.from({ length: queries }, () => text(5)),
    documents: Array.from({ length: 2 * queries }, () => text(14)),
    positives: Array.from({ length: queries }, (_, i) => i),
    negatives: Array.from({ length: queries }, (_, i) => [queries + i]),
    known: Array.from({ length: queries }, (_, i) => (i === 1 ? [0] : [])),
  };
}
