import { type Constant, part, transposed } from '../constant.js';
import type { ExportGraph, Rule } from '../export-graph.js';
import type { OnnxNode } from '../onnx-file.js';
import { asLinear, type Operation, sum } from '../operation.js';
import { dequantizedInput } from './dequantized-input.js';
import { factors } from './factors.js';

/** Attention with its projections inside: x, [in, 3·out] for query, key and value side by side, their biases. */
export const packedAttention: Rule = (node, graph) =>
  projected(node, {
    input: graph.operation(node.inputs[0]),
    weight: graph.constant(node.inputs[1]),
    bias: graph.constant(node.inputs[2]),
  });

/** The same in 8 bits: x, W, biases, scale of x, scale of W, mask, zero point of x, zero point of W */
export const packedIntegerAttention: Rule = (node, graph) =>
  projected(node, {
    input: graph.operation(node.inputs[0]),
    weight: dequantizedInput(node, graph, { at: 1, scale: 4, zeroPoint: 7 }),
    bias: graph.constant(node.inputs[2]),
  });

function projected(
  node: OnnxNode,
  { input, weight, bias }: { input: Operation; weight?: Constant; bias?: Constant },
): Operation | undefined {
  if (!weight || !bias || weight.shape.length !== 2) return undefined;
  if (weight.shape[1] % 3 !== 0 || bias.shape[0] !== weight.shape[1]) return undefined;
  const [query, key, value] = [0, 1, 2].map((index) => {
    const product: Operation = { kind: 'product', node, input, weight: transposed(part(weight, index, 3)) };
    return sum(node, [product], [part(bias, index, 3)]);
  });
  return { kind: 'attention', node, query, key, value };
}

/** Attention over projections made before it: query, key, value, and in ONNX Runtime's own operator their biases. */
export const headedAttention: Rule = (node, graph) => {
  const bias = node.type === 'Attention' ? undefined : graph.constant(node.inputs[3]);
  const [query, key, value] = node.inputs.slice(0, 3).map((input, index) => {
    const operation = graph.operation(input);
    return bias ? sum(node, [operation], [part(bias, index, 3)]) : operation;
  });
  return key && value && { kind: 'attention', node, query, key, value };
};

/** softmax(Q·Kᵀ / √d + mask)·V, written out: the product of the softmax and the values. */
export const writtenOutAttention: Rule = (node, graph) => attentionOf(node, node, graph);

/** The same between 8-bit values: the product is cast and multiplied by both scales. */
export const writtenOutIntegerAttention: Rule = (node, graph) => {
  const { values } = factors(node, graph);
  const multiplied = values.map((value) => graph.maker(value, 'MatMulInteger')).find(Boolean);
  return multiplied && attentionOf(node, multiplied, graph);
};

function attentionOf(node: OnnxNode, product: OnnxNode, graph: ExportGraph): Operation | undefined {
  const [probabilities, values] = product.inputs;
  const [softmax] = graph.nearest(probabilities, (operation) => madeBy(operation, 'Softmax'));
  if (!softmax) return undefined;
  const [scores] = graph.nearest(softmax.inputs[0], (operation) =>
    madeBy(operation, 'MatMul', 'com.microsoft.FusedMatMul', 'MatMulInteger'),
  );
  if (!scores) return undefined;
  const [query, key, value] = [...scores.inputs.slice(0, 2), values].map((from) => projection(from, graph));
  return query && key && value && { kind: 'attention', node, query, key, value };
}

function madeBy(operation: Operation, ...types: string[]): OnnxNode | undefined {
  const { node } = operation;
  return operation.kind === 'other' && node && types.includes(node.type) ? node : undefined;
}

/** The one layer that leads to a value. */
function projection(value: string, graph: ExportGraph): Operation | undefined {
  const found = graph.nearest(value, (operation) => (asLinear(operation) ? operation : undefined));
  return found.length === 1 ? found[0] : undefined;
}
