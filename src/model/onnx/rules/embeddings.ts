import { type Constant, dequantized } from '../constant.js';
import { attribute, type Rule } from '../export-graph.js';
import type { OnnxNode } from '../onnx-file.js';
import { type Operation, sum, type Table } from '../operation.js';
import { dequantizedInput } from './dequantized-input.js';
import { moved } from './layout.js';

/** Rows chosen by ids (Gather), or the first rows one after another (Slice). */
export const lookedUp: Rule = (node, graph) => {
  const table = graph.constant(node.inputs[0]);
  if (!table || table.kind === 'other' || table.shape.length !== 2) return undefined;
  if (attribute(node, 'axis', 0) !== 0) return undefined;
  return { kind: 'table', node, table, ids: node.type === 'Gather' ? node.inputs[1] : '' };
};

/** A table of codes gets its scale after the rows were chosen; any other value was only quantised on its way. */
export const dequantizedRows: Rule = (node, graph) => {
  const rows = graph.operation(node.inputs[0]);
  if (rows.kind !== 'table' || rows.table.kind !== 'code') return moved(node, graph);
  const [scale, zeroPoint] = node.inputs.slice(1).map((input) => graph.constant(input));
  const table = scale && dequantized({ codes: rows.table, scale, zeroPoint });
  return table && { ...rows, table };
};

/** ids, types, three tables, γ, β, mask, positions */
export const embedLayerNorm: Rule = (node, graph) => {
  const [, , words, positions, types, weight, bias] = node.inputs.map((input) => graph.constant(input));
  return normalizedEmbeddings(node, { words, positions, types, weight, bias });
};

/** The same in 8 bits: ids, types, five constants as above, mask, then their five scales and five zero points. */
export const quantizedEmbedLayerNorm: Rule = (node, graph) => {
  const [words, positions, types, weight, bias] = [0, 1, 2, 3, 4].map((index) =>
    dequantizedInput(node, graph, { at: 2 + index, scale: 8 + index, zeroPoint: 13 + index }),
  );
  return normalizedEmbeddings(node, { words, positions, types, weight, bias });
};

interface EmbeddingConstants {
  words?: Constant;
  positions?: Constant;
  types?: Constant;
  weight?: Constant;
  bias?: Constant;
}

function normalizedEmbeddings(
  node: OnnxNode,
  { words, positions, types, weight, bias }: EmbeddingConstants,
): Operation | undefined {
  if (!words || !positions || !types || !weight || !bias) return undefined;
  const [ids, typeIds] = node.inputs;
  const table = (constant: Constant, of: string): Table => ({
    kind: 'table',
    node,
    table: constant,
    ids: of,
  });
  const input = sum(node, [table(words, ids), table(positions, ''), table(types, typeIds)]);
  return { kind: 'norm', node, input, weight, bias };
}
