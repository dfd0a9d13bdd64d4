import type { Value } from '../graph.js';
import { div, equal, mul, toFloat } from './elementwise.js';
import { expandTo, reduce, reduceOp, reduceSum, withReducedAxes } from './sum.js';

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

export const reduceMean = reduce(meanOp);
export const reduceMax = reduce(maxOp);

function onesLike(x: Value): Value {
  return expandTo(x.graph.constant(1), x);
}
