import { expectSameDim, type Op, type Value } from '../graph.js';
import { mul, sub } from './elementwise.js';
import { reduceMean } from './reduce.js';
import { reduceSum } from './sum.js';

const rmsNormOp: Op<{ epsilon: number }> = {
  name: 'rmsNorm',
  infer([x, scale]) {
    expectSameDim('rmsNorm', x, -1, scale, 0);
    return [
      { shape: x.shape, dtype: 'float32' },
      { shape: x.shape.with(-1, 1), dtype: 'float32' },
    ];
  },
  emit({ inputs: [x, scale], outputs: [y, inverse], attributes: { epsilon } }, onnx) {
    const squares = onnx.value('Mul', [x.name, x.name]);
    const mean = onnx.value('ReduceMean', [squares, onnx.integers([-1])], { keepdims: 1 });
    const root = onnx.value('Sqrt', [onnx.value('Add', [mean, onnx.scalar(epsilon)])]);
    onnx.node({ type: 'Reciprocal', inputs: [root], outputs: [inverse.name] });
    const normalized = onnx.value('Mul', [x.name, inverse.name]);
    onnx.node({ type: 'Mul', inputs: [normalized, scale.name], outputs: [y.name] });
  },
  // y = x·r·w with r = (mean x² + ε)^−½, so dx = r·(g·w − n·mean(g·w·n)) with n = x·r.
  gradient({ inputs: [x, scale], outputs: [, inverse] }, [gradient]) {
    const g = gradient!;
    const normalized = mul(x, inverse);
    const scaled = mul(g, scale);
    const along = reduceMean(mul(scaled, normalized), { axes: [-1], keepDims: true });
    const leading = x.shape.slice(0, -1).map((_, axis) => axis);
    return [
      mul(sub(scaled, mul(normalized, along)), inverse),
      reduceSum(mul(g, normalized), { axes: leading }),
    ];
  },
};

/** Divides by the root of the mean square over the last axis, and scales (T5's layer norm: no mean, no shift). */
export function rmsNorm(x: Value, scale: Value, options: { epsilon: number }): Value {
  return x.graph.apply(rmsNormOp, [x, scale], options)[0];
}
