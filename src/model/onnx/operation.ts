import type { Constant } from './constant.js';
import type { OnnxNode } from './onnx-file.js';

/** Rows of a table, chosen by ids. */
export interface Table {
  kind: 'table';
  node: OnnxNode;
  /** [rows, width] */
  table: Constant;
  /** The value that holds the ids; empty where the rows are simply counted. */
  ids: string;
}

/** x·Wᵀ */
export interface Product {
  kind: 'product';
  node: OnnxNode;
  input: Operation;
  /** [out, in] */
  weight: Constant;
}

export interface Sum {
  kind: 'sum';
  node: OnnxNode;
  terms: Operation[];
  constants: Constant[];
}

export interface Norm {
  kind: 'norm';
  node: OnnxNode;
  input: Operation;
  weight: Constant;
  bias: Constant;
}

export interface Gelu {
  kind: 'gelu';
  node: OnnxNode;
  input: Operation;
}

/** softmax(Q·Kᵀ)·V */
export interface Attention {
  kind: 'attention';
  node: OnnxNode;
  query: Operation;
  key: Operation;
  value: Operation;
}

/** What means nothing to us by itself. */
export interface Other {
  kind: 'other';
  /** Absent for the model's inputs. */
  node?: OnnxNode;
  value: string;
}

/**
 * What a value of the graph is, in the few words an encoder needs, however many nodes the exporter wrote it with:
 * nodes that only move, cast or quantise numbers are gone.
 */
export type Operation = Table | Product | Sum | Norm | Gelu | Attention | Other;

/** x·Wᵀ + b */
export interface Linear extends Omit<Product, 'kind'> {
  bias: Constant;
}

/** A sum with the sums in it taken apart, so that it does not matter in which order an exporter added. */
export function sum(node: OnnxNode, terms: readonly Operation[], constants: readonly Constant[] = []): Sum {
  return {
    kind: 'sum',
    node,
    terms: terms.flatMap((term) => (term.kind === 'sum' ? term.terms : [term])),
    constants: [...constants, ...terms.flatMap((term) => (term.kind === 'sum' ? term.constants : []))],
  };
}

export function asLinear(operation: Operation): Linear | undefined {
  if (operation.kind !== 'sum' || operation.terms.length !== 1 || operation.constants.length !== 1) {
    return undefined;
  }
  const [product] = operation.terms;
  if (product.kind !== 'product') return undefined;
  const { node, input, weight } = product;
  return { node, input, weight, bias: operation.constants[0] };
}
