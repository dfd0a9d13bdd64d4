import type { Op, Value } from '../graph.js';
import { type Dim, positiveAxis, type Shape, sameShape } from '../shape.js';
import { div, equal, mul, nameOf, toFloat } from './elementwise.js';
import { expandTo, reshape } from './layout.js';

interface ReduceAttributes {
  axes: number[];
  keepDims: boolean;
}

function reduceOp(
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

const meanOp = reduceOp('reduceMean', 'ReduceMean', ({ inputs: [x], attributes }, [g]) => {
  // n is known only at run time when the axes are named, so ones are counted.
  const spread = expandTo(withReducedAxes(g!, x.shape, attributes.axes), x);
  return [div(spread, reduceSum(onesLike(x), { axes: attributes.axes, keepDims: true }))];
});

const maxOp = reduceOp(
  'reduceMax',
  'ReduceMax',
  ({ inputs: [x], outputs: [y], attributes: { axes } }, [g]) => {
    // Ties share the gradient equally.
    const isMax = toFloat(equal(x, withReducedAxes(y, x.shape, axes)));
    const ties = reduceSum(isMax, { axes, keepDims: true });
    return [div(mul(isMax, withReducedAxes(g!, x.shape, axes)), ties)];
  },
);

export interface ReduceOptions {
  /** Axes to reduce over; all of them when left out. */
  axes?: number[];
  keepDims?: boolean;
}

function reduce(op: Op<ReduceAttributes>): (x: Value, options?: ReduceOptions) => Value {
  return (x, { axes, keepDims = false } = {}) => {
    const positive = axes?.map((axis) => positiveAxis(axis, x.rank)) ?? x.shape.map((_, axis) => axis);
    return x.graph.apply(op, [x], { axes: positive.toSorted((a, b) => a - b), keepDims })[0];
  };
}

export const reduceSum = reduce(sumOp);
export const reduceMean = reduce(meanOp);
export const reduceMax = reduce(maxOp);

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

function withReducedAxes(reduced: Value, shape: Shape, axes: number[]): Value {
  return reshape(reduced, reducedShape(shape, axes, true));
}

function onesLike(x: Value): Value {
  return expandTo(x.graph.constant(1), x);
}
