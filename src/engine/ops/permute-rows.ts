import type { Op, Value } from '../graph.js';

const permuteRowsOp: Op = {
  name: 'permuteRows',
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  emit: ({ inputs: [x, order], outputs: [y] }, onnx) =>
    onnx.node({ type: 'Gather', inputs: [x.name, order.name], outputs: [y.name], attributes: { axis: 0 } }),
  gradient: ({ inputs: [, order, inverse] }, [g]) => [permuteRows(g!, inverse, order)],
};

/**
 * Row i of the result is row `order[i]` of `x`. `order` is a permutation and `inverse` undoes it, which makes
 * the gradient another gather: nothing is scattered, so nothing depends on the order of threads.
 */
export function permuteRows(x: Value, order: Value, inverse: Value): Value {
  return x.graph.apply(permuteRowsOp, [x, order, inverse], {})[0];
}
