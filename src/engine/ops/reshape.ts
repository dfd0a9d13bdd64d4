import type { Op, Value } from '../graph.js';
import type { OnnxBuilder } from '../onnx/builder.js';
import { formatShape, isSize, productOf, type Shape, sameShape } from '../shape.js';

const reshapeOp: Op<{ shape: Shape }> = {
  name: 'reshape',
  infer([x], { shape }) {
    if (x.shape.every(isSize) && shape.every(isSize) && productOf(x.shape) !== productOf(shape)) {
      throw new Error(
        `reshape: ${formatShape(x.shape)} does not have as many elements as ${formatShape(shape)}`,
      );
    }
    return [{ shape, dtype: x.dtype }];
  },
  emit({ inputs: [x], outputs: [y], attributes: { shape } }, onnx) {
    onnx.node({ type: 'Reshape', inputs: [x.name, reshapeTarget(x.shape, shape, onnx)], outputs: [y.name] });
  },
  gradient: ({ inputs: [x] }, [g]) => [reshape(g!, x.shape)],
};

/** The same elements in the same order under another shape. */
export function reshape(x: Value, shape: Shape): Value {
  return sameShape(x.shape, shape) ? x : x.graph.apply(reshapeOp, [x], { shape })[0];
}

/**
 * ONNX's Reshape copies a dimension from the same place of its input for 0 and works one out for −1. Named
 * dimensions that need more than that are read from a graph input at run time.
 */
function reshapeTarget(from: Shape, to: Shape, onnx: OnnxBuilder): string {
  const codes = to.map((dim, axis) => (isSize(dim) ? dim : dim === from[axis] ? 0 : dim));
  const unknown = codes.filter((code) => typeof code === 'string');
  if (unknown.length === 0) return onnx.integers(codes as number[]);
  // A square has the same name twice, of which one is worked out.
  const inferred = codes.indexOf(unknown.find((dim) => dim.includes('*')) ?? unknown[0]);
  const parts = codes.map((code, axis) => {
    if (typeof code === 'number') return onnx.integers([code]);
    return axis === inferred ? onnx.integers([-1]) : onnx.dim(code);
  });
  if (unknown.length === 1) return onnx.integers(codes.map((code) => (typeof code === 'number' ? code : -1)));
  return onnx.value('Concat', parts, { axis: 0 });
}
