import { type Constant, dequantized } from '../constant.js';
import type { ExportGraph } from '../export-graph.js';
import type { OnnxNode } from '../onnx-file.js';

/** A node's input of codes, with the scale and zero point that are other inputs of it. */
export function dequantizedInput(
  { inputs }: OnnxNode,
  graph: ExportGraph,
  places: { at: number; scale: number; zeroPoint: number },
): Constant | undefined {
  const codes = graph.constant(inputs[places.at]);
  const scale = graph.constant(inputs[places.scale]);
  return codes && scale && dequantized({ codes, scale, zeroPoint: graph.constant(inputs[places.zeroPoint]) });
}
