import { nameOf, type Op, type Value } from '../graph.js';
import type { OnnxBuilder } from '../onnx/builder.js';
import { type Dim, isSize } from '../shape.js';
import { mul } from './elementwise.js';

const transposeOp: Op<{ order: number[] }> = {
  name: 'transpose',
  infer: ([x], { order }) => [{ shape: order.map((axis) => x.shape[axis]), dtype: x.dtype }],
  emit: ({ inputs, outputs, attributes: { order } }, onnx) =>
    onnx.node({
      type: 'Transpose',
      inputs: inputs.map(nameOf),
      outputs: outputs.map(nameOf),
      attributes: { perm: order },
    }),
  gradient: ({ attributes: { order } }, [g]) => [
    transpose(
      g!,
      order.map((_, axis) => order.indexOf(axis)),
    ),
  ],
};

/** Reorders axes: axis i of the result is axis `order[i]` of `x`. */
export function transpose(x: Value, order: number[]): Value {
  return x.graph.apply(transposeOp, [x], { order })[0];
}

const concatOp: Op<{ axis: number; dim: Dim }> = {
  name: 'concat',
  infer: ([first], { axis, dim }) => [{ shape: first.shape.with(axis, dim), dtype: first.dtype }],
  emit: ({ inputs, outputs, attributes: { axis } }, onnx) =>
    onnx.node({
      type: 'Concat',
      inputs: inputs.map(nameOf),
      outputs: outputs.map(nameOf),
      attributes: { axis },
    }),
  gradient: ({ inputs, attributes: { axis } }, [g]) => {
    const sizes = inputs.map((input) => input.shape[axis]);
    return split(g!, { axis, sizes });
  },
};

/** Joins along an axis whose size becomes `dim` (worked out when every size is known). */
export function concat(values: Value[], { axis, dim }: { axis: number; dim?: Dim }): Value {
  if (values.length === 1) return values[0];
  const sizes = values.map((value) => value.shape[axis]);
  const joined = dim ?? (sizes.every(isSize) ? sizes.reduce((sum, size) => sum + size, 0) : sizes.join('+'));
  return values[0].graph.apply(concatOp, values, { axis, dim: joined })[0];
}

const splitOp: Op<{ axis: number; sizes: Dim[] }> = {
  name: 'split',
  infer: ([x], { axis, sizes }) => sizes.map((size) => ({ shape: x.shape.with(axis, size), dtype: x.dtype })),
  emit({ inputs: [x], outputs, attributes: { axis, sizes } }, onnx) {
    const lengths = sizes.every(isSize)
      ? onnx.integers(sizes)
      : onnx.value(
          'Concat',
          sizes.map((size) => sizeTensor(size, onnx)),
          { axis: 0 },
        );
    onnx.node({
      type: 'Split',
      inputs: [x.name, lengths],
      outputs: outputs.map(nameOf),
      attributes: { axis },
    });
  },
  gradient: ({ inputs: [x], outputs, attributes: { axis } }, gradients) => {
    const parts = gradients.map((gradient, i) => gradient ?? mul(outputs[i], 0));
    return [concat(parts, { axis, dim: x.shape[axis] })];
  },
};

/** Cuts along an axis into parts of the given sizes. */
export function split(x: Value, { axis, sizes }: { axis: number; sizes: Dim[] }): Value[] {
  if (sizes.length === 1) return [x];
  return x.graph.apply(splitOp, [x], { axis, sizes });
}

/** A size as an int64 list of one; a product of names is multiplied out. */
export function sizeTensor(dim: Dim, onnx: OnnxBuilder): string {
  if (isSize(dim)) return onnx.integers([dim]);
  const factors = dim.split('*').map((factor) => {
    return /^\d+$/.test(factor) ? onnx.integers([Number(factor)]) : onnx.dim(factor);
  });
  return factors.reduce((product, factor) => onnx.value('Mul', [product, factor]));
}
