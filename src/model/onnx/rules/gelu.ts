import type { ExportGraph, Rule } from '../export-graph.js';
import { sum } from '../operation.js';
import { factors } from './factors.js';

/** Gelu, or with a bias as second input BiasGelu and FastGelu. */
export const gelu: Rule = (node, graph) => {
  const [x, added] = node.inputs;
  const bias = graph.constant(added);
  const input = graph.operation(x);
  return { kind: 'gelu', node, input: bias ? sum(node, [input], [bias]) : input };
};

/** x · ½ · (1 + erf(x / √2)), multiplied in any order. */
export const writtenOutGelu: Rule = (node, graph) => {
  const { values } = factors(node, graph);
  if (values.length !== 2) return undefined;
  for (const [x, gate] of [values, values.toReversed()]) {
    const argument = erfArgument(gate, graph);
    const input = graph.operation(x);
    if (argument !== undefined && graph.operation(argument) === input) return { kind: 'gelu', node, input };
  }
  return undefined;
};

/** The x of 1 + erf(x / √2). */
function erfArgument(value: string, graph: ExportGraph): string | undefined {
  const plusOne = graph.maker(value, 'Add');
  const erf = plusOne?.inputs.map((input) => graph.maker(input, 'Erf')).find(Boolean);
  const scaled = erf && graph.maker(erf.inputs[0], 'Div', 'Mul');
  return scaled?.inputs.find((input) => !graph.constant(input));
}
