import { nameOf, type Op, type Value } from '../graph.js';
import { broadcast, type DType } from '../shape.js';
import { sumTo } from './sum.js';

type Operand = Value | number;

function binaryOp(name: string, type: string, gradient?: Op['gradient'], dtype?: DType): Op {
  return {
    name,
    infer: ([a, b]) => [{ shape: broadcast(a.shape, b.shape), dtype: dtype ?? a.dtype }],
    emit: (node, onnx) =>
      onnx.node({ type, inputs: node.inputs.map(nameOf), outputs: node.outputs.map(nameOf) }),
    gradient,
  };
}

const addOp = binaryOp('add', 'Add', ({ inputs: [a, b] }, [g]) => [sumTo(g!, a.shape), sumTo(g!, b.shape)]);
const subOp = binaryOp('sub', 'Sub', ({ inputs: [a, b] }, [g]) => [
  sumTo(g!, a.shape),
  sumTo(neg(g!), b.shape),
]);
const mulOp = binaryOp('mul', 'Mul', ({ inputs: [a, b] }, [g]) => [
  sumTo(mul(g!, b), a.shape),
  sumTo(mul(g!, a), b.shape),
]);
const divOp = binaryOp('div', 'Div', ({ inputs: [a, b], outputs: [y] }, [g]) => [
  sumTo(div(g!, b), a.shape),
  sumTo(neg(div(mul(g!, y), b)), b.shape),
]);
const equalOp = binaryOp('equal', 'Equal', undefined, 'bool');

function binary(op: Op): (a: Operand, b: Operand) => Value {
  return (a, b) => {
    const { graph } = typeof a === 'number' ? (b as Value) : a;
    const operands = [a, b].map((operand) =>
      typeof operand === 'number' ? graph.constant(operand) : operand,
    );
    return graph.apply(op, operands, {})[0];
  };
}

/** Elementwise sum with broadcasting. */
export const add = binary(addOp);
/** Elementwise difference with broadcasting. */
export const sub = binary(subOp);
/** Elementwise product with broadcasting. */
export const mul = binary(mulOp);
/** Elementwise quotient with broadcasting. */
export const div = binary(divOp);
/** Elementwise comparison; the result is boolean and stops gradients. */
export const equal = binary(equalOp);

function unaryOp(name: string, type: string, derivative: (x: Value, y: Value) => Value): Op {
  return {
    name,
    infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
    emit: (node, onnx) =>
      onnx.node({ type, inputs: node.inputs.map(nameOf), outputs: node.outputs.map(nameOf) }),
    gradient: ({ inputs: [x], outputs: [y] }, [g]) => [mul(g!, derivative(x, y))],
  };
}

const expOp = unaryOp('exp', 'Exp', (_x, y) => y);
const logOp = unaryOp('log', 'Log', (x) => div(1, x));
const sqrtOp = unaryOp('sqrt', 'Sqrt', (_x, y) => div(0.5, y));
const softplusOp = unaryOp('softplus', 'Softplus', (x) => sigmoid(x));
const sigmoidOp = unaryOp('sigmoid', 'Sigmoid', (_x, y) => mul(y, sub(1, y)));
const tanhOp = unaryOp('tanh', 'Tanh', (_x, y) => sub(1, mul(y, y)));
// y = max(x, 0) is x where they are equal and positive, so the slope is sign(y).
const reluOp = unaryOp('relu', 'Relu', (_x, y) => sign(y));
const signOp: Op = { ...unaryOp('sign', 'Sign', (x) => x), gradient: undefined };
const negOp: Op = { ...unaryOp('neg', 'Neg', (x) => x), gradient: (_node, [g]) => [neg(g!)] };

function unary(op: Op): (x: Value) => Value {
  return (x) => x.graph.apply(op, [x], {})[0];
}

export const exp = unary(expOp);
/** Natural logarithm. */
export const log = unary(logOp);
export const sqrt = unary(sqrtOp);
/** log(1 + eˣ), without overflow. */
export const softplus = unary(softplusOp);
export const sigmoid = unary(sigmoidOp);
export const tanh = unary(tanhOp);
export const relu = unary(reluOp);
export const neg = unary(negOp);
/** −1, 0 or 1; stops gradients. */
export const sign = unary(signOp);

const toFloatOp: Op = {
  name: 'toFloat',
  infer: ([x]) => [{ shape: x.shape, dtype: 'float32' }],
  emit: (node, onnx) =>
    onnx.node({
      type: 'Cast',
      inputs: node.inputs.map(nameOf),
      outputs: node.outputs.map(nameOf),
      attributes: { to: 1 },
    }),
};

/** Booleans, integers or half-precision numbers as 32-bit floats; stops gradients. */
export const toFloat = unary(toFloatOp);
