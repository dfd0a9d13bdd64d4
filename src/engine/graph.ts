import type { OnnxBuilder } from './onnx/builder.js';
import { type ConstantTensor, type Dim, type DType, formatShape, type Shape } from './shape.js';

/** What is known of a tensor before it exists. */
export interface ValueType {
  shape: Shape;
  dtype: DType;
}

/** A tensor in a graph: an input, a parameter, a constant or the result of a node. */
export class Value {
  readonly graph: Graph;
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: DType;
  /** The node that makes it; absent for inputs, parameters and constants. */
  readonly producer: Node | undefined;

  constructor(graph: Graph, name: string, type: ValueType, producer?: Node) {
    this.graph = graph;
    this.name = name;
    this.shape = type.shape;
    this.dtype = type.dtype;
    this.producer = producer;
  }

  get rank(): number {
    return this.shape.length;
  }
}

/**
 * One kind of operation: its shape rule, its ONNX emission and its gradient. An op without a gradient stops
 * differentiation (comparisons, index arithmetic).
 */
export interface Op<Attributes = Record<string, never>> {
  readonly name: string;
  infer(inputs: readonly Value[], attributes: Attributes): ValueType[];
  emit(node: Node<Attributes>, onnx: OnnxBuilder): void;
  /**
   * Given the gradient of each output (`undefined` where nothing depends on it), adds the nodes that compute the
   * gradient of each input and returns them in order; `undefined` where an input has none, rows where only some of a
   * table's have one.
   */
  gradient?(
    node: Node<Attributes>,
    gradients: readonly (Value | undefined)[],
  ): (Value | SparseRows | undefined)[];
}

/** The gradient of a table of which some rows were used: one row for each id, to be added up by the reader. */
export interface SparseRows {
  /** int32 */
  ids: Value;
  rows: Value;
}

export interface Node<Attributes = unknown> {
  readonly op: Op<Attributes>;
  readonly attributes: Attributes;
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

/**
 * A computation, described before it runs. Ops are functions on its values (`add(a, b)`), differentiation adds
 * nodes to it, and `emitOnnx` turns the part that leads to chosen outputs into an ONNX model.
 *
 * @example
 * const graph = new Graph();
 * const x = graph.input('x', ['batch', 3]);
 * const w = graph.parameter('w', [2, 3]);
 * const loss = reduceMean(mul(linear(x, w), linear(x, w)));
 * const gradient = differentiateLoss(loss, [w]).dense.get(w);
 */
export class Graph {
  readonly inputs: Value[] = [];
  readonly parameters: Value[] = [];
  readonly constants = new Map<Value, ConstantTensor>();
  readonly nodes: Node[] = [];
  readonly #names = new Set<string>();
  #counter = 0;

  /** A tensor fed at each run. */
  input(name: string, shape: Shape, dtype: DType = 'float32'): Value {
    const value = new Value(this, this.#claim(name), { shape, dtype });
    this.inputs.push(value);
    return value;
  }

  /** A tensor of learned numbers, fed from a parameter store or baked into the model. */
  parameter(name: string, shape: readonly number[]): Value {
    const value = new Value(this, this.#claim(name), { shape, dtype: 'float32' });
    this.parameters.push(value);
    return value;
  }

  /** Numbers known now. A bare number becomes a float scalar. */
  constant(tensor: number | ConstantTensor): Value {
    const constant = typeof tensor === 'number' ? { shape: [], data: new Float32Array([tensor]) } : tensor;
    const dtype = constantDtype(constant.data);
    const value = new Value(this, this.#claim(`constant${this.#counter++}`), {
      shape: constant.shape,
      dtype,
    });
    this.constants.set(value, constant);
    return value;
  }

  /** Adds a node and returns its outputs. */
  apply<Attributes>(op: Op<Attributes>, inputs: readonly Value[], attributes: Attributes): Value[] {
    for (const input of inputs) {
      if (input.graph !== this) throw new Error(`${op.name}: input ${input.name} belongs to another graph`);
    }
    const types = op.infer(inputs, attributes);
    const outputs: Value[] = [];
    const node: Node<Attributes> = { op, attributes, inputs, outputs };
    for (const type of types) {
      const name = this.#claim(`${op.name}${this.#counter++}`);
      outputs.push(new Value(this, name, type, node as Node));
    }
    this.nodes.push(node as Node);
    return outputs;
  }

  /** The nodes that `outputs` depend on, in the order they were added, which is an order they can run in. */
  nodesLeadingTo(outputs: readonly Value[]): Node[] {
    const needed = new Set<Node>();
    const pending = outputs.flatMap((value) => value.producer ?? []);
    for (let node = pending.pop(); node; node = pending.pop()) {
      if (needed.has(node)) continue;
      needed.add(node);
      for (const input of node.inputs) if (input.producer) pending.push(input.producer);
    }
    return this.nodes.filter((node) => needed.has(node));
  }

  /** An input in which a named dimension occurs, so that its size can be read at run time. */
  sourceOf(dim: string): { value: Value; axis: number } {
    for (const value of this.inputs) {
      const axis = value.shape.indexOf(dim);
      if (axis >= 0) return { value, axis };
    }
    throw new Error(`Dimension ${dim} occurs in no input of the graph`);
  }

  #claim(name: string): string {
    if (this.#names.has(name)) throw new Error(`The graph already has a value named ${name}`);
    this.#names.add(name);
    return name;
  }
}

/** Throws unless `value` has the expected rank, naming the op. */
export function expectRank(op: string, value: Value, rank: number): void {
  if (value.rank !== rank) throw new Error(`${op}: expected rank ${rank}, got ${formatShape(value.shape)}`);
}

/** Throws unless the two dimensions are the same, naming the op and both shapes. */
export function expectSameDim(op: string, a: Value, axisA: number, b: Value, axisB: number): void {
  if (a.shape.at(axisA) === b.shape.at(axisB)) return;
  throw new Error(`${op}: shapes do not fit: ${formatShape(a.shape)} and ${formatShape(b.shape)}`);
}

function constantDtype(data: ConstantTensor['data']): DType {
  if (data instanceof Float32Array) return 'float32';
  return data instanceof Int32Array ? 'int32' : 'int64';
}

export type { ConstantTensor, Dim, DType, Shape };

export function nameOf(value: Value): string {
  return value.name;
}
