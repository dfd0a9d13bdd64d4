import type { Op, Value } from '../graph.js';
import type { OnnxBuilder } from '../onnx/builder.js';
import { type Dim, formatShape, productOf, type Shape, sameShape } from '../shape.js';
import { mul, nameOf } from './elementwise.js';
import { sumTo } from './reduce.js';

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
  const inferred = unknown.find((dim) => dim.includes('*')) ?? unknown[0];
  const parts = codes.map((code) => {
    if (typeof code === 'number') return onnx.integers([code]);
    return code === inferred ? onnx.integers([-1]) : onnx.dim(code);
  });
  if (unknown.length === 1) return onnx.integers(codes.map((code) => (typeof code === 'number' ? code : -1)));
  return onnx.value('Concat', parts, { axis: 0 });
}

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

const expandOp: Op = {
  name: 'expand',
  infer: ([x, like]) => [{ shape: like.shape, dtype: x.dtype }],
  emit: ({ inputs: [x, like], outputs: [y] }, onnx) =>
    onnx.node({ type: 'Expand', inputs: [x.name, onnx.value('Shape', [like.name])], outputs: [y.name] }),
  gradient: ({ inputs: [x] }, [g]) => [sumTo(g!, x.shape)],
};

/** Repeats `x` along axes of size 1 until it has the shape of `like`. */
export function expandTo(x: Value, like: Value): Value {
  return sameShape(x.shape, like.shape) ? x : x.graph.apply(expandOp, [x, like], {})[0];
}

function isSize(dim: Dim): dim is number {
  return typeof dim === 'number';
}
