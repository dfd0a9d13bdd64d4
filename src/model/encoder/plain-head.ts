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
 * linear layer, LayerNorm, dot product. Elsewhere mean pooling and the cosine, as sentence-transformers decides.
 */
export async function readPlainHead(
  folder: string,
  weights: Weights,
  hiddenSize: number,
): Promise<HeadDescription> {
  const names = EMBEDDED_NAMES.find(({ denseWeight }) => weights.has(denseWeight));
  if (!names) {
    const path = join(folder, '1_Pooling', 'config.json');
    const pooling = (await exists(path)) ? await readPooling(path) : 'mean';
    return { pooling, normalize: false, similarity: 'cosine' };
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
  return {
    pooling: 'first',
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
}
