import { expectRank, expectSameDim, type Op, type Value } from '../graph.js';
import { mul, sub } from './elementwise.js';
import { emitProduct, matmul } from './matmul.js';
import { reduceSum, sumTo } from './sum.js';

const attentionOp: Op<{ scale: number }> = {
  name: 'attention',
  infer([query, key, value]) {
    expectRank('attention', query, 4);
    expectSameDim('attention', query, -1, key, -1);
    expectSameDim('attention', key, -2, value, -2);
    const [batch, heads, queries] = query.shape;
    return [
      { shape: [batch, heads, queries, value.shape[3]], dtype: 'float32' },
      { shape: [batch, heads, queries, key.shape[2]], dtype: 'float32' },
    ];
  },
  emit(
    { inputs: [query, key, value, bias, dropout], outputs: [context, weights], attributes: { scale } },
    onnx,
  ) {
    const products = onnx.temporary();
    const flags = { transposeA: false, transposeB: true, alpha: scale, rank: 4 };
    emitProduct(onnx, { a: query.name, b: key.name, output: products, ...flags });
    const logits = onnx.value('Add', [products, bias.name]);
    onnx.node({ type: 'Softmax', inputs: [logits], outputs: [weights.name], attributes: { axis: -1 } });
    const kept = dropout ? onnx.value('Mul', [weights.name, dropout.name]) : weights.name;
    onnx.node({ type: 'MatMul', inputs: [kept, value.name], outputs: [context.name] });
  },
  gradient(
    { inputs: [query, key, value, bias, dropout], outputs: [context, weights], attributes: { scale } },
    [gradient],
  ) {
    const g = gradient!;
    const dropped = (weight: Value): Value => (dropout ? mul(weight, dropout) : weight);
    // Softmax's gradient needs Σⱼ dPᵢⱼ·Pᵢⱼ, which is also dOᵢ·Oᵢ: a sum over the head's width instead of all keys.
    const inner = reduceSum(mul(g, context), { axes: [-1], keepDims: true });
    const dWeights = dropped(matmul(g, value, { transposeB: true }));
    const dLogits = mul(weights, sub(dWeights, inner));
    return [
      matmul(dLogits, key, { alpha: scale }),
      matmul(dLogits, query, { transposeA: true, alpha: scale }),
      matmul(dropped(weights), g, { transposeA: true }),
      sumTo(dLogits, bias.shape),
    ];
  },
};

export interface AttentionInputs {
  /** [batch, heads, queries, width] */
  query: Value;
  /** [batch, heads, keys, width] */
  key: Value;
  /** [batch, heads, keys, width] */
  value: Value;
  /** Added to the logits and broadcast over them: 0 to look, a large negative number not to; or learned, by distance. */
  bias: Value;
  /** Factors for the attention weights: 0 or 1/(1−p). */
  dropout?: Value;
}

/** softmax(Q·Kᵀ·scale + bias)·V. */
export function attention(inputs: AttentionInputs, options: { scale: number }): Value {
  const { query, key, value, bias, dropout } = inputs;
  const values = dropout ? [query, key, value, bias, dropout] : [query, key, value, bias];
  return query.graph.apply(attentionOp, values, options)[0];
}
