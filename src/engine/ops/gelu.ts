import { nameOf, type Op, type Value } from '../graph.js';
import { add, exp, mul, sub, tanh } from './elementwise.js';

const geluOp: Op = {
  name: 'gelu',
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  emit: ({ inputs, outputs }, onnx) =>
    onnx.node({ type: 'Gelu', inputs: inputs.map(nameOf), outputs: outputs.map(nameOf) }),
  // y = x·Φ(x), so y' = Φ(x) + x·φ(x) with Φ, φ the normal distribution's function and density.
  gradient({ inputs: [x] }, [g]) {
    const distribution = add(mul(erf(mul(x, Math.SQRT1_2)), 0.5), 0.5);
    const density = mul(exp(mul(mul(x, x), -0.5)), 1 / Math.sqrt(2 * Math.PI));
    return [mul(g!, add(distribution, mul(x, density)))];
  },
};

const SLOPE = Math.sqrt(2 / Math.PI);
const CUBIC = 0.044715;

const geluTanhOp: Op = {
  name: 'geluTanh',
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  emit: ({ inputs, outputs }, onnx) =>
    onnx.node({
      type: 'Gelu',
      inputs: inputs.map(nameOf),
      outputs: outputs.map(nameOf),
      attributes: { approximate: 'tanh' },
    }),
  // y = ½x(1 + t) with t = tanh u, so y' = ½(1 + t) + ½x(1 − t²)u'.
  gradient({ inputs: [x] }, [g]) {
    const square = mul(x, x);
    const t = tanh(mul(mul(x, SLOPE), add(mul(square, CUBIC), 1)));
    const slope = mul(add(mul(square, 3 * CUBIC), 1), SLOPE);
    const bent = mul(mul(mul(x, 0.5), sub(1, mul(t, t))), slope);
    return [mul(g!, add(add(mul(t, 0.5), 0.5), bent))];
  },
};

const erfOp: Op = {
  name: 'erf',
  infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
  emit: ({ inputs, outputs }, onnx) =>
    onnx.node({ type: 'Erf', inputs: inputs.map(nameOf), outputs: outputs.map(nameOf) }),
  gradient: ({ inputs: [x] }, [g]) => [mul(g!, mul(exp(mul(mul(x, x), -1)), 2 / Math.sqrt(Math.PI)))],
};

/** The Gaussian error linear unit, x·Φ(x), exact (not the tanh approximation). */
export function gelu(x: Value): Value {
  return x.graph.apply(geluOp, [x], {})[0];
}

/** GELU by its approximation with tanh, as T5 v1.1 has it (`gelu_new`). */
export function geluTanh(x: Value): Value {
  return x.graph.apply(geluTanhOp, [x], {})[0];
}

/** The error function. */
export function erf(x: Value): Value {
  return x.graph.apply(erfOp, [x], {})[0];
}
