import type { Node, Op, SparseRows, Value } from './graph.js';
import { add } from './ops/elementwise.js';
import { embeddingOp } from './ops/embedding.js';
import { formatShape, sameShape } from './shape.js';

/** The gradient of a table that was only looked up in. */
export interface SparseGradient extends SparseRows {
  table: Value;
}

export interface Gradients {
  /** d loss / d value for each value asked for that is used densely. */
  dense: Map<Value, Value>;
  sparse: SparseGradient[];
}

/**
 * Reverse-mode differentiation at build time: walks the nodes that lead to `outputs` backwards and adds the
 * nodes of their gradients to the same graph.
 *
 * @param seeds the outputs and the gradient each starts from; a scalar loss starts from the constant 1
 * @param targets parameters and inputs to differentiate by
 */
export function differentiate(
  seeds: readonly { output: Value; gradient: Value }[],
  targets: readonly Value[],
): Gradients {
  const [{ output }] = seeds;
  const nodes = output.graph.nodesLeadingTo(seeds.map((seed) => seed.output));
  const wanted = reachedFrom(targets, nodes);
  const gradients = new Map<Value, Value>();
  const sparse: SparseGradient[] = [];
  const accumulate = (value: Value, gradient: Value): void => {
    if (!sameShape(value.shape, gradient.shape)) {
      throw new Error(
        `Gradient of ${value.name}: expected ${formatShape(value.shape)}, got ${formatShape(gradient.shape)}`,
      );
    }
    const earlier = gradients.get(value);
    gradients.set(value, earlier ? add(earlier, gradient) : gradient);
  };

  for (const seed of seeds) accumulate(seed.output, seed.gradient);
  for (const node of nodes.toReversed()) {
    const outputGradients = node.outputs.map((value) => gradients.get(value));
    if (!wanted.has(node.outputs[0]) || outputGradients.every((gradient) => !gradient)) continue;
    if (node.op === (embeddingOp as Op)) {
      const [table, ids] = node.inputs;
      sparse.push({ table, ids, rows: outputGradients[0]! });
      continue;
    }
    for (const [i, gradient] of (node.op.gradient?.(node, outputGradients) ?? []).entries()) {
      if (!gradient || !wanted.has(node.inputs[i])) continue;
      if ('rows' in gradient) sparse.push({ table: node.inputs[i], ...gradient });
      else accumulate(node.inputs[i], gradient);
    }
  }

  const dense = new Map<Value, Value>();
  for (const target of targets) {
    const gradient = gradients.get(target);
    if (gradient) dense.set(target, gradient);
  }
  return { dense, sparse };
}

/** Differentiates a scalar loss, times `weight` where given. */
export function differentiateLoss(loss: Value, targets: readonly Value[], weight?: Value): Gradients {
  if (loss.rank !== 0) throw new Error(`A loss is a scalar, got ${formatShape(loss.shape)}`);
  return differentiate([{ output: loss, gradient: weight ?? loss.graph.constant(1) }], targets);
}

/** Every value that depends on one of `targets`: no gradient is computed for the rest. */
function reachedFrom(targets: readonly Value[], nodes: readonly Node[]): Set<Value> {
  const reached = new Set(targets);
  for (const node of nodes) {
    if (node.inputs.some((input) => reached.has(input)))
      for (const output of node.outputs) reached.add(output);
  }
  return reached;
}
