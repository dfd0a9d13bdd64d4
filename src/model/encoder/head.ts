import type { Pooling } from '../representation/kinds.js';
import type { NamedTensor } from '../tensors/tensor.js';

/** A linear layer, y = W·x + b. */
export interface DenseLayer {
  in: number;
  out: number;
  /** [out, in], row-major. */
  weight: Float32Array;
  /** [out], where it has one. */
  bias?: Float32Array;
}

export interface LayerNormLayer {
  size: number;
  weight: Float32Array;
  bias: Float32Array;
  eps: number;
}

export type Similarity = 'dot' | 'cosine';

/** How an encoder's hidden states become one vector, and how two vectors are compared. */
export interface HeadDescription extends Pooling {
  dense?: DenseLayer;
  layerNorm?: LayerNormLayer;
  /** Scale vectors to length 1. */
  normalize: boolean;
  similarity: Similarity;
}

/** PyTorch's default, and the only one that sentence-transformers' LayerNorm module knows. */
export const HEAD_LAYER_NORM_EPS = 1e-5;

/** The names of a head's weights among those of its encoder. */
export const HEAD_NAMES = {
  denseWeight: 'head.linear.weight',
  denseBias: 'head.linear.bias',
  normWeight: 'head.norm.weight',
  normBias: 'head.norm.bias',
} as const;

/** A head's weights as named tensors. */
export function headTensors({ dense, layerNorm }: HeadDescription): NamedTensor[] {
  const tensors: NamedTensor[] = [];
  if (dense) {
    tensors.push({ name: HEAD_NAMES.denseWeight, shape: [dense.out, dense.in], data: dense.weight });
    if (dense.bias) tensors.push({ name: HEAD_NAMES.denseBias, shape: [dense.out], data: dense.bias });
  }
  if (layerNorm) {
    tensors.push({ name: HEAD_NAMES.normWeight, shape: [layerNorm.size], data: layerNorm.weight });
    tensors.push({ name: HEAD_NAMES.normBias, shape: [layerNorm.size], data: layerNorm.bias });
  }
  return tensors;
}
