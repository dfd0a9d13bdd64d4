import { nameOf, type Op, type Value } from '../graph.js';
import { broadcast } from '../shape.js';
import { sumTo } from './sum.js';

const whereOp: Op = {
  name: 'where',
  infer: ([condition, a, b]) => [
    { shape: broadcast(condition.shape, broadcast(a.shape, b.shape)), dtype: a.dtype },
  ],
  emit: ({ inputs, outputs }, onnx) =>
    onnx.node({ type: 'Where', inputs: inputs.map(nameOf), outputs: outputs.map(nameOf) }),
  gradient: ({ inputs: [condition, a, b] }, [g]) => [
    undefined,
    sumTo(where(condition, g!, 0), a.shape),
    sumTo(where(condition, 0, g!), b.shape),
  ],
};

/** Elementwise choice: `a` where the condition holds, else `b`. */
export function where(condition: Value, a: Value | number, b: Value | number): Value {
  const { graph } = condition;
  const [first, second] = [a, b].map((operand) =>
    typeof operand === 'number' ? graph.constant(operand) : operand,
  );
  return graph.apply(whereOp, [condition, first, second], {})[0];
}
