import { type Constant, dequantized, transposed } from '../constant.js';
import { attribute, type Rule } from '../export-graph.js';
import type { OnnxNode } from '../onnx-file.js';
import { type Operation, type Product, sum } from '../operation.js';
import { dequantizedInput } from './dequantized-input.js';
import { factors } from './factors.js';

/** MatMul, or FusedMatMul with its transpositions. */
export const matMul: Rule = (node, graph) => {
  const [x, w] = node.inputs;
  const matrix = graph.constant(w);
  if (!matrix || attribute(node, 'transA', 0) !== 0 || attribute(node, 'alpha', 1) !== 1) return undefined;
  const weight = attribute(node, 'transB', 0) ? matrix : transposed(matrix);
  return product(node, graph.operation(x), weight);
};

/** x, W, bias */
export const gemm: Rule = (node, graph) => {
  if (attribute(node, 'beta', 1) !== 1) return undefined;
  const multiplied = matMul(node, graph);
  const bias = graph.constant(node.inputs[2]);
  return multiplied && bias ? sum(node, [multiplied], [bias]) : multiplied;
};

/** MatMulInteger, whose result is cast and multiplied by both scales. */
export const integerProduct: Rule = (node, graph) => {
  const { values, constants } = factors(node, graph);
  const multiplied = values.map((value) => graph.maker(value, 'MatMulInteger')).find(Boolean);
  if (!multiplied || constants.length !== 1) return undefined;
  const [x, w, , zeroPoint] = multiplied.inputs;
  const codes = graph.constant(w);
  if (!codes) return undefined;
  const weight = dequantized({ codes, scale: constants[0], zeroPoint: graph.constant(zeroPoint) });
  return weight && product(multiplied, graph.operation(x), transposed(weight));
};

/** x, W, scale of W, zero point of W, bias */
export const dynamicQuantizeMatMul: Rule = (node, graph) =>
  quantizedProduct(node, {
    input: graph.operation(node.inputs[0]),
    weight: dequantizedInput(node, graph, { at: 1, scale: 2, zeroPoint: 3 }),
    bias: graph.constant(node.inputs[4]),
  });

/** x, W, scale of x, scale of W, zero point of x, zero point of W, bias */
export const matMulIntegerToFloat: Rule = (node, graph) =>
  quantizedProduct(node, {
    input: graph.operation(node.inputs[0]),
    weight: dequantizedInput(node, graph, { at: 1, scale: 3, zeroPoint: 5 }),
    bias: graph.constant(node.inputs[6]),
  });

function quantizedProduct(
  node: OnnxNode,
  { input, weight, bias }: { input: Operation; weight?: Constant; bias?: Constant },
): Operation | undefined {
  const multiplied = weight && product(node, input, transposed(weight));
  return multiplied && bias ? sum(node, [multiplied], [bias]) : multiplied;
}

function product(node: OnnxNode, input: Operation, weight: Constant): Product | undefined {
  if (weight.shape.length !== 2 || weight.kind !== 'weight') return undefined;
  return { kind: 'product', node, input, weight };
}
