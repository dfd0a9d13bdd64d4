import type { Constant } from '../constant.js';
import type { ExportGraph } from '../export-graph.js';
import type { OnnxNode } from '../onnx-file.js';

/** What a Mul node multiplies, products in it taken apart. */
export function factors(node: OnnxNode, graph: ExportGraph): { values: string[]; constants: Constant[] } {
  const values: string[] = [];
  const constants: Constant[] = [];
  for (const input of node.inputs) {
    const constant = graph.constant(input);
    const inner = graph.maker(input, 'Mul');
    if (constant) constants.push(constant);
    else if (!inner) values.push(input);
    else {
      const nested = factors(inner, graph);
      values.push(...nested.values);
      constants.push(...nested.constants);
    }
  }
  return { values, constants };
}
