import { join } from 'node:path';
import { exists } from '../../base/files.js';
import { readPooling } from '../folder/sentence-transformers.js';
import type { Weights } from '../folder/weights.js';
import { HEAD_LAYER_NORM_EPS, HEAD_NAMES, type HeadDescription, type LayerNormLayer } from './head.js';

/** What a head's layers are called inside `model.safetensors`: by us, and by Microsoft's ANCE checkpoints. */
const EMBEDDED_NAMES = [
  HEAD_NAMES,
  {
    denseWeight: 'embeddingHead.weight',
    denseBias: 'embeddingHead.bias',
    normWeight: 'norm.weight',
    normBias: 'norm.bias',
  },
];

/**
 * The head of a folder without `modules.json`. Where the weights hold ANCE's layers, it is ANCE's: first token,
 * linear layer, LayerNorm, dot product. Elsewhere the cosine, and the pooling of `1_Pooling` or of the ONNX export; where
 * neither tells, mean pooling is a guess, as sentence-transformers guesses.
 */
export async function readPlainHead(
  folder: string,
  weights: Weights,
  hiddenSize: number,
): Promise<{ head: HeadDescription; guessedPooling: boolean }> {
  const names = EMBEDDED_NAMES.find(({ denseWeight }) => weights.has(denseWeight));
  if (!names) {
    const path = join(folder, '1_Pooling', 'config.json');
    const exported = weights.exported?.pooling;
    const told = (await exists(path)) ? await readPooling(path) : exported && { pooling: exported };
    const head: HeadDescription = { pooling: 'mean', ...told, normalize: false, similarity: 'cosine' };
    return { head, guessedPooling: told === undefined };
  }
  const [out] = weights.shape(names.denseWeight);
  const layerNorm: LayerNormLayer | undefined = weights.has(names.normWeight)
    ? {
        size: out,
        weight: await weights.read(names.normWeight, [out]),
        bias: await weights.read(names.normBias, [out]),
        eps: HEAD_LAYER_NORM_EPS,
      }
    : undefined;
  const head: HeadDescription = {
    pooling: weights.exported?.pooling ?? 'first',
    dense: {
      in: hiddenSize,
      out,
      weight: await weights.read(names.denseWeight, [out, hiddenSize]),
      bias: await weights.read(names.denseBias, [out]),
    },
    ...(layerNorm && { layerNorm }),
    normalize: false,
    similarity: 'dot',
  };
  return { head, guessedPooling: false };
}

/** The one layer that ColBERT's checkpoints have besides BERT's. */
export const COLBERT_LINEAR = 'linear.weight';

/** The head of a ColBERT checkpoint: a row for each token, projected without a bias, of length 1. */
export async function readColbertHead(weights: Weights, hiddenSize: number): Promise<HeadDescription> {
  const [out] = weights.shape(COLBERT_LINEAR);
  const weight = await weights.read(COLBERT_LINEAR, [out, hiddenSize]);
  return { pooling: 'tokens', dense: { in: hiddenSize, out, weight }, normalize: true, similarity: 'cosine' };
}
