import type { Op, Value } from '../graph.js';
import type { Dim } from '../shape.js';
import { sizeTensor } from './layout.js';

const rowsUpToOp: Op<{ start: number; length: Dim }> = {
  name: 'rowsUpTo',
  infer: ([x], { length }) => [{ shape: x.shape.with(0, length), dtype: x.dtype }],
  emit({ inputs: [x], outputs: [y], attributes: { start, length } }, onnx) {
    const first = onnx.integers([start]);
    const end = onnx.value('Add', [first, sizeTensor(length, onnx)]);
    onnx.node({ type: 'Slice', inputs: [x.name, first, end, onnx.integers([0])], outputs: [y.name] });
  },
};

/** Rows `start … start + length − 1` of a table; for inference, without a gradient. */
export function rowsUpTo(table: Value, options: { start: number; length: Dim }): Value {
  return table.graph.apply(rowsUpToOp, [table], options)[0];
}

const firstOp: Op<{ axis: number }> = {
  name: 'first',
  infer: ([x], { axis }) => [{ shape: x.shape.toSpliced(axis, 1), dtype: x.dtype }],
  emit({ inputs: [x], outputs: [y], attributes: { axis } }, onnx) {
    const start = onnx.value('Slice', [
      x.name,
      onnx.integers([0]),
      onnx.integers([1]),
      onnx.integers([axis]),
    ]);
    onnx.node({ type: 'Squeeze', inputs: [start, onnx.integers([axis])], outputs: [y.name] });
  },
};

/** The first slice along an axis; for inference, without a gradient. */
export function first(x: Value, options: { axis: number }): Value {
  return x.graph.apply(firstOp, [x], options)[0];
}
