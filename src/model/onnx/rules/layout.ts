import type { Rule } from '../export-graph.js';

/** The same numbers in another place, type or precision: nodes of these types are looked through. */
export const MOVING_TYPES = [
  'Identity',
  'Cast',
  'Dropout',
  'Expand',
  'Flatten',
  'Reshape',
  'Squeeze',
  'Transpose',
  'Unsqueeze',
  'QuantizeLinear',
  'DynamicQuantizeLinear',
];

export const moved: Rule = ({ inputs }, graph) => graph.operation(inputs[0]);
