import { expectSameDim, nameOf, type Op, type Value } from '../graph.js';
import { mul, sub } from './elementwise.js';
import { reduceMean } from './reduce.js';
import { reduceSum } from './sum.js';

const layerNormOp: Op<{ epsilon: number }> = {
  name: 'layerNorm',
  infer([x, scale, shift]) {
    expectSameDim('layerNorm', x, -1, scale, 0);
    expectSameDim('layerNorm', x, -1, shift, 0);
    const rows = x.shape.with(-1, 1);
    return [
      { shape: x.shape, dtype: 'float32' },
      { shape: rows, dtype: 'float32' },
      { shape: rows, dtype: 'float32' },
    ];
  },
  emit: ({ inputs, outputs, attributes: { epsilon } }, onnx) =>
    onnx.node({
      type: 'LayerNormalization',
      inputs: inputs.map(nameOf),
      outputs: outputs.map(nameOf),
      attributes: { axis: -1, epsilon: { float: epsilon } },
    }),
  gradient({ inputs: [x, scale], outputs: [, mean, inverseDeviation] }, [gradient]) {
    const g = gradient!;
    const normalized = mul(sub(x, mean), inverseDeviation);
    const scaled = mul(g, scale);
    const meanOf = (value: Value): Value => reduceMean(value, { axes: [-1], keepDims: true });
    const centred = sub(sub(scaled, meanOf(scaled)), mul(normalized, meanOf(mul(scaled, normalized))));
    const leading = x.shape.slice(0, -1).map((_, axis) => axis);
    return [
      mul(centred, inverseDeviation),
      reduceSum(mul(g, normalized), { axes: leading }),
      reduceSum(g, { axes: leading }),
    ];
  },
};

/** Layer normalisation over the last axis. */
export function layerNorm(x: Value, scale: Value, shift: Value, options: { epsilon: number }): Value {
  return x.graph.apply(layerNormOp, [x, scale, shift], options)[0];
}
