import { expectRank, expectSameDim, nameOf, type Op, type Value } from '../graph.js';
import { MICROSOFT_DOMAIN, type OnnxBuilder } from '../onnx/builder.js';
import { reduceSum } from './sum.js';

interface MatmulAttributes {
  transposeA: boolean;
  transposeB: boolean;
  alpha: number;
}

const matmulOp: Op<MatmulAttributes> = {
  name: 'matmul',
  infer([a, b], { transposeA, transposeB }) {
    if (a.rank !== b.rank || a.rank < 2) expectRank('matmul', b, Math.max(2, a.rank));
    expectSameDim('matmul', a, transposeA ? -2 : -1, b, transposeB ? -1 : -2);
    for (let axis = 0; axis < a.rank - 2; axis++) expectSameDim('matmul', a, axis, b, axis);
    const rows = a.shape.at(transposeA ? -1 : -2)!;
    const columns = b.shape.at(transposeB ? -2 : -1)!;
    return [{ shape: [...a.shape.slice(0, -2), rows, columns], dtype: 'float32' }];
  },
  // Gemm and FusedMatMul multiply transposed operands without copying them.
  emit({ inputs, outputs, attributes: { transposeA, transposeB, alpha } }, onnx) {
    const [a, b] = inputs.map(nameOf);
    const options = { transposeA, transposeB, alpha, rank: inputs[0].rank };
    emitProduct(onnx, { a, b, output: outputs[0].name, ...options });
  },
  gradient({ inputs: [a, b], attributes: { transposeA, transposeB, alpha } }, [gradient]) {
    const g = gradient!;
    const da = transposeA
      ? matmul(b, g, { transposeA: transposeB, transposeB: true, alpha })
      : matmul(g, b, { transposeB: !transposeB, alpha });
    const db = transposeB
      ? matmul(g, a, { transposeA: true, transposeB: transposeA, alpha })
      : matmul(a, g, { transposeA: !transposeA, alpha });
    return [da, db];
  },
};

/** Writes α·A·B for operands of the same rank, transposed as asked. */
export function emitProduct(
  onnx: OnnxBuilder,
  { a, b, output, transposeA, transposeB, alpha, rank }: Product,
): void {
  const attributes = { transA: transposeA ? 1 : 0, transB: transposeB ? 1 : 0, alpha: { float: alpha } };
  if (rank === 2) {
    onnx.node({ type: 'Gemm', inputs: [a, b], outputs: [output], attributes });
  } else if (!onnx.portable) {
    onnx.node({
      type: 'FusedMatMul',
      domain: MICROSOFT_DOMAIN,
      inputs: [a, b],
      outputs: [output],
      attributes,
    });
  } else {
    const order = Array.from({ length: rank }, (_, axis) => axis);
    const perm = [...order.slice(0, -2), rank - 1, rank - 2];
    const operand = (name: string, transposed: boolean): string =>
      transposed ? onnx.value('Transpose', [name], { perm }) : name;
    const left = alpha === 1 ? a : onnx.value('Mul', [a, onnx.scalar(alpha)]);
    const operands = [operand(left, transposeA), operand(b, transposeB)];
    onnx.node({ type: 'MatMul', inputs: operands, outputs: [output] });
  }
}

interface Product extends MatmulAttributes {
  a: string;
  b: string;
  output: string;
  rank: number;
}

/** α·A·B over the last two axes, each optionally transposed; leading axes must agree. */
export function matmul(a: Value, b: Value, options: Partial<MatmulAttributes> = {}): Value {
  const attributes = { transposeA: false, transposeB: false, alpha: 1, ...options };
  return a.graph.apply(matmulOp, [a, b], attributes)[0];
}

const linearOp: Op = {
  name: 'linear',
  infer([x, weight, bias]) {
    expectRank('linear', x, 2);
    expectSameDim('linear', x, 1, weight, 1);
    if (bias) expectSameDim('linear', weight, 0, bias, 0);
    return [{ shape: [x.shape[0], weight.shape[0]], dtype: 'float32' }];
  },
  emit: ({ inputs, outputs }, onnx) =>
    onnx.node({
      type: 'Gemm',
      inputs: inputs.map(nameOf),
      outputs: outputs.map(nameOf),
      attributes: { transB: 1 },
    }),
  gradient({ inputs: [x, weight, bias] }, [gradient]) {
    const g = gradient!;
    return [matmul(g, weight), matmul(g, x, { transposeA: true }), bias && reduceSum(g, { axes: [0] })];
  },
};

/** x·Wᵀ + b, with the weight stored [out, in] as PyTorch and safetensors store it. */
export function linear(x: Value, weight: Value, bias?: Value): Value {
  return x.graph.apply(linearOp, bias ? [x, weight, bias] : [x, weight], {})[0];
}
