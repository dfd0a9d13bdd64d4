import type { Constant } from './constant.js';
import type { ExportGraph } from './export-graph.js';
import { asLinear } from './operation.js';

/** How the names of biases end: quantised ones carry a mark. */
const BIAS = /\.bias(?:_quantized)?$/;

/**
 * The layers that a graph has beside the encoder (a pooler, a classifier, a head of ours), under the names that their
 * biases still have: exporters rename matrices only.
 *
 * @param encoder the constants that are the encoder's
 * @param prefix of the encoder's own names, e.g. `bert.`
 */
export function findHeads(
  graph: ExportGraph,
  { encoder, prefix }: { encoder: ReadonlySet<Constant>; prefix: string },
): Map<string, Constant> {
  const found = new Map<string, Constant>();
  for (const { outputs } of graph.model.nodes) {
    const operation = graph.operation(outputs[0]);
    const layer = operation.kind === 'norm' ? operation : asLinear(operation);
    if (!layer || encoder.has(layer.bias) || !BIAS.test(layer.bias.name)) continue;
    const stored = layer.bias.name.replace(BIAS, '');
    const name = stored.startsWith(prefix) ? stored.slice(prefix.length) : stored;
    found.set(`${name}.weight`, layer.weight);
    found.set(`${name}.bias`, layer.bias);
  }
  return found;
}
