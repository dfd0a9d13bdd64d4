import { expectRank, type Op, type Value } from '../graph.js';
import type { OnnxBuilder } from '../onnx/builder.js';

const pickOp: Op = {
  name: 'pick',
  infer([x, columns]) {
    expectRank('pick', x, 2);
    expectRank('pick', columns, 2);
    return [{ shape: columns.shape, dtype: x.dtype }];
  },
  emit: ({ inputs: [x, columns], outputs: [y] }, onnx) =>
    onnx.node({
      type: 'GatherElements',
      inputs: [x.name, columns.name],
      outputs: [y.name],
      attributes: { axis: 1 },
    }),
  gradient: ({ inputs: [x, columns] }, [g]) => [x.graph.apply(placeOp, [g!, columns, x], {})[0]],
};

/** Writes zeros of a shape into `y`, with `x` added at the columns. All are names of values. */
function addAtColumns(
  onnx: OnnxBuilder,
  { shape, x, columns, y }: Record<'shape' | 'x' | 'columns' | 'y', string>,
): void {
  onnx.node({
    type: 'ScatterElements',
    inputs: [onnx.value('ConstantOfShape', [shape]), columns, x],
    outputs: [y],
    attributes: { axis: 1, reduction: 'add' },
  });
}

/** The transpose of {@link pickOp}: zeros in the shape of the third input, with the first added at the columns. */
const placeOp: Op = {
  name: 'place',
  infer: ([, , like]) => [{ shape: like.shape, dtype: like.dtype }],
  emit({ inputs: [x, columns, like], outputs: [y] }, onnx) {
    const shape = onnx.value('Shape', [like.name]);
    addAtColumns(onnx, { shape, x: x.name, columns: columns.name, y: y.name });
  },
};

/** Picks from each row of `x`: y[i, j] = x[i, columns[i, j]]. The same column may be picked several times. */
export function pick(x: Value, columns: Value): Value {
  return x.graph.apply(pickOp, [x, columns], {})[0];
}

const spreadOp: Op<{ size: number }> = {
  name: 'spread',
  infer([x], { size }) {
    expectRank('spread', x, 2);
    return [{ shape: [x.shape[0], size], dtype: x.dtype }];
  },
  emit({ inputs: [x, columns], outputs: [y], attributes: { size } }, onnx) {
    const rows = onnx.value('Slice', [onnx.value('Shape', [x.name]), onnx.integers([0]), onnx.integers([1])]);
    const shape = onnx.value('Concat', [rows, onnx.integers([size])], { axis: 0 });
    addAtColumns(onnx, { shape, x: x.name, columns: columns.name, y: y.name });
  },
  gradient: ({ inputs: [, columns] }, [g]) => [pick(g!, columns)],
};

/** Adds each row of `x` into zeros [rows, size] at its columns: y[i, columns[i, j]] += x[i, j]. */
export function spread(x: Value, columns: Value, size: number): Value {
  return x.graph.apply(spreadOp, [x, columns], { size })[0];
}
