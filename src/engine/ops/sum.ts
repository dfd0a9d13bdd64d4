import { nameOf, type Op, type Value } from '../graph.js';
import { type Dim, positiveAxis, type Shape, sameShape } from '../shape.js';
import { reshape } from './reshape.js';

export interface ReduceAttributes {
  axes: number[];
  keepDims: boolean;
}

/** Sums and repetitions are each other's gradients, and so stand together. */
export function reduceOp(
  name: string,
  type: string,
  gradient: Op<ReduceAttributes>['gradient'],
): Op<ReduceAttributes> {
  return {
    name,
    infer: ([x], { axes, keepDims }) => [{ shape: reducedShape(x.shape, axes, keepDims), dtype: x.dtype }],
    emit: ({ inputs, outputs, attributes }, onnx) =>
      onnx.node({
        type,
        inputs: [inputs[0].name, onnx.integers(attributes.axes)],
        outputs: outputs.map(nameOf),
        attributes: { keepdims: attributes.keepDims ? 1 : 0 },
      }),
    gradient,
  };
}

const sumOp = reduceOp('reduceSum', 'ReduceSum', ({ inputs: [x], attributes }, [g]) => [
  expandTo(withReducedAxes(g!, x.shape, attributes.axes), x),
]);

export interface ReduceOptions {
  /** Axes to reduce over; all of them when left out. */
  axes?: number[];
  keepDims?: boolean;
}

export function reduce(op: Op<ReduceAttributes>): (x: Value, options?: ReduceOptions) => Value {
  return (x, { axes, keepDims = false } = {}) => {
    const positive = axes?.map((axis) => positiveAxis(axis, x.rank)) ?? x.shape.map((_, axis) => axis);
    return x.graph.apply(op, [x], { axes: positive.toSorted((a, b) => a - b), keepDims })[0];
  };
}

export const reduceSum = reduce(sumOp);

/** Sums `x` down to `shape`: the gradient of broadcasting. */
export function sumTo(x: Value, shape: Shape): Value {
  if (sameShape(x.shape, shape)) return x;
  const added = x.rank - shape.length;
  const axes: number[] = [];
  x.shape.forEach((dim, axis) => {
    if (axis < added || (shape[axis - added] === 1 && dim !== 1)) axes.push(axis);
  });
  const summed = axes.length > 0 ? reduceSum(x, { axes, keepDims: true }) : x;
  return added > 0 ? reshape(summed, shape) : summed;
}

function reducedShape(shape: Shape, axes: number[], keepDims: boolean): Dim[] {
  if (keepDims) return shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  return shape.filter((_, axis) => !axes.includes(axis));
}

/** A reduced value with its axes back, of size 1. */
export function withReducedAxes(reduced: Value, shape: Shape, axes: number[]): Value {
  return reshape(reduced, reducedShape(shape, axes, true));
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
