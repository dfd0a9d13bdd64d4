import type { Rule } from '../export-graph.js';
import { sum } from '../operation.js';

/** Add: two terms, or a term and a constant (a bias). */
export const added: Rule = (node, graph) => {
  const constants = node.inputs.flatMap((input) => graph.constant(input) ?? []);
  const terms = node.inputs.filter((input) => !graph.constant(input));
  return sum(
    node,
    terms.map((term) => graph.operation(term)),
    constants,
  );
};
