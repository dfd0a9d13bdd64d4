import { nameOf, type Op, type Value } from '../graph.js';
import { exp, mul, sub } from './elementwise.js';
import { reduceSum } from './sum.js';

function lastAxisOp(name: string, type: string, gradient: (y: Value, g: Value) => Value): Op {
  return {
    name,
    infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
    emit: ({ inputs, outputs }, onnx) =>
      onnx.node({ type, inputs: inputs.map(nameOf), outputs: outputs.map(nameOf), attributes: { axis: -1 } }),
    gradient: ({ outputs: [y] }, [g]) => [gradient(y, g!)],
  };
}

const softmaxOp = lastAxisOp('softmax', 'Softmax', (y, g) => {
  const inner = reduceSum(mul(g, y), { axes: [-1], keepDims: true });
  return mul(y, sub(g, inner));
});

const logSoftmaxOp = lastAxisOp('logSoftmax', 'LogSoftmax', (y, g) => {
  const total = reduceSum(g, { axes: [-1], keepDims: true });
  return sub(g, mul(exp(y), total));
});

/** Softmax over the last axis. */
export function softmax(x: Value): Value {
  return x.graph.apply(softmaxOp, [x], {})[0];
}

/** Logarithm of the softmax over the last axis. */
export function logSoftmax(x: Value): Value {
  return x.graph.apply(logSoftmaxOp, [x], {})[0];
}
