import type { Rule } from '../export-graph.js';
import {
  headedAttention,
  packedAttention,
  packedIntegerAttention,
  writtenOutAttention,
  writtenOutIntegerAttention,
} from './attention.js';
import { dequantizedRows, embedLayerNorm, lookedUp, quantizedEmbedLayerNorm } from './embeddings.js';
import { gelu, writtenOutGelu } from './gelu.js';
import { MOVING_TYPES, moved } from './layout.js';
import { layerNorm, skipLayerNorm, writtenOutNorm } from './norms.js';
import { dynamicQuantizeMatMul, gemm, integerProduct, matMul, matMulIntegerToFloat } from './products.js';
import { added } from './sums.js';

/**
 * How the operators of BERT-like exports are read: as PyTorch writes them, as ONNX Runtime's optimizer fuses them
 * (`com.microsoft`), and in 8 bits.
 */
export const RULES: ReadonlyMap<string, readonly Rule[]> = new Map<string, readonly Rule[]>([
  ...MOVING_TYPES.map((type): [string, Rule[]] => [type, [moved]]),
  ['Gather', [lookedUp]],
  ['Slice', [lookedUp]],
  ['DequantizeLinear', [dequantizedRows]],
  ['com.microsoft.EmbedLayerNormalization', [embedLayerNorm]],
  ['com.microsoft.QEmbedLayerNormalization', [quantizedEmbedLayerNorm]],
  ['Add', [writtenOutNorm, added]],
  ['LayerNormalization', [layerNorm]],
  ['com.microsoft.SkipLayerNormalization', [skipLayerNorm]],
  ['MatMul', [matMul, writtenOutAttention]],
  ['com.microsoft.FusedMatMul', [matMul, writtenOutAttention]],
  ['Gemm', [gemm]],
  ['Mul', [writtenOutGelu, integerProduct, writtenOutIntegerAttention]],
  ['com.microsoft.DynamicQuantizeMatMul', [dynamicQuantizeMatMul]],
  ['com.microsoft.MatMulIntegerToFloat', [matMulIntegerToFloat]],
  ['Gelu', [gelu]],
  ['com.microsoft.Gelu', [gelu]],
  ['com.microsoft.BiasGelu', [gelu]],
  ['com.microsoft.FastGelu', [gelu]],
  ['Attention', [headedAttention]],
  ['com.microsoft.MultiHeadAttention', [headedAttention]],
  ['com.microsoft.Attention', [packedAttention]],
  ['com.microsoft.QAttention', [packedIntegerAttention]],
]);
