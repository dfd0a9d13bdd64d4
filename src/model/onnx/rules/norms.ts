import type { Constant } from '../constant.js';
import type { ExportGraph, Rule } from '../export-graph.js';
import type { OnnxNode } from '../onnx-file.js';
import { sum } from '../operation.js';

/** x, γ, β */
export const layerNorm: Rule = (node, graph) => {
  const [x, gamma, beta] = node.inputs;
  const [weight, bias] = [graph.constant(gamma), graph.constant(beta)];
  return weight && bias && { kind: 'norm', node, input: graph.operation(x), weight, bias };
};

/** x, what is added to it, γ, β, bias */
export const skipLayerNorm: Rule = (node, graph) => {
  const [x, skip, gamma, beta, added] = node.inputs;
  const [weight, bias, constant] = [graph.constant(gamma), graph.constant(beta), graph.constant(added)];
  if (!weight || !bias) return undefined;
  const input = sum(node, [graph.operation(x), graph.operation(skip)], constant ? [constant] : []);
  return { kind: 'norm', node, input, weight, bias };
};

/** (x − mean) / √(variance + ε) · γ + β, in the nodes that exporters wrote before LayerNormalization was an operator. */
export const writtenOutNorm: Rule = (node, graph) => {
  const shifted = withConstant(node, graph);
  const product = shifted && graph.maker(shifted.value, 'Mul');
  const scaled = product && withConstant(product, graph);
  const quotient = scaled && graph.maker(scaled.value, 'Div');
  if (!quotient) return undefined;
  const [centred, deviation] = [
    graph.maker(quotient.inputs[0], 'Sub'),
    graph.maker(quotient.inputs[1], 'Sqrt'),
  ];
  const mean = centred && graph.maker(centred.inputs[1], 'ReduceMean');
  if (!mean || !deviation) return undefined;
  const input = graph.operation(centred.inputs[0]);
  if (graph.operation(mean.inputs[0]) !== input) return undefined;
  return { kind: 'norm', node, input, weight: scaled.constant, bias: shifted.constant };
};

/** The two operands of a node of which one is a constant. */
function withConstant(
  { inputs: [a, b] }: OnnxNode,
  graph: ExportGraph,
): { value: string; constant: Constant } | undefined {
  const [first, second] = [graph.constant(a), graph.constant(b)];
  if (first) return { value: b, constant: first };
  return second && { value: a, constant: second };
}
