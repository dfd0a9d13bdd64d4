import { type Constant, dequantized, stored, transposed } from './constant.js';
import { corruptOnnx } from './corrupt-onnx.js';
import type { OnnxFile, OnnxNode } from './onnx-file.js';
import { asLinear, type Operation } from './operation.js';

/** What one operator, or a group of nodes that ends in it, is; nothing where it is not what the rule looks for. */
export type Rule = (node: OnnxNode, graph: ExportGraph) => Operation | undefined;

/** Nodes that tell sizes: what they read says nothing about what the numbers are. */
const SIZES = new Set(['Shape', 'Size']);

/** An ONNX graph read backwards, from a value to what made it. */
export class ExportGraph {
  readonly model: OnnxFile;
  readonly #rules: ReadonlyMap<string, readonly Rule[]>;
  readonly #makers = new Map<string, OnnxNode>();
  readonly #constants = new Map<string, Constant | undefined>();
  readonly #operations = new Map<string, Operation>();

  /** @param rules by the operator that a group of nodes ends in; the first that recognises it decides */
  constructor(model: OnnxFile, rules: ReadonlyMap<string, readonly Rule[]>) {
    this.model = model;
    this.#rules = rules;
    for (const node of model.nodes) this.#add(node);
  }

  /** Nodes come after those they depend on, so nothing leads back to itself. */
  #add(node: OnnxNode): void {
    const { path } = this.model;
    const twice = node.outputs.find((output) => output !== '' && this.#made(output));
    if (twice !== undefined) throw corruptOnnx(path, `the value "${twice}" is made twice`);
    const early = node.inputs.find((input) => input !== '' && !this.#made(input));
    if (early !== undefined) {
      throw corruptOnnx(path, `node "${node.name}" reads the value "${early}" before it is made`);
    }
    for (const output of node.outputs) this.#makers.set(output, node);
  }

  #made(value: string): boolean {
    const { tensors, inputs } = this.model;
    return this.#makers.has(value) || tensors.has(value) || inputs.includes(value);
  }

  /** What a value is. The same value, cast or moved or not, is the same object. */
  operation(value: string): Operation {
    const known = this.#operations.get(value);
    if (known) return known;
    const operation = this.#recognize(value);
    this.#operations.set(value, operation);
    return operation;
  }

  #recognize(value: string): Operation {
    const node = this.#makers.get(value);
    if (!node || node.outputs[0] !== value) return { kind: 'other', node, value };
    for (const rule of this.#rules.get(node.type) ?? []) {
      const operation = rule(node, this);
      if (operation) return operation;
    }
    return { kind: 'other', node, value };
  }

  /** The node that makes a value, if it is of one of these types; casts are looked through. */
  maker(value: string, ...types: string[]): OnnxNode | undefined {
    const node = this.#makers.get(value);
    if (!node) return undefined;
    if (types.includes(node.type)) return node;
    return node.type === 'Cast' || node.type === 'Identity'
      ? this.maker(node.inputs[0], ...types)
      : undefined;
  }

  /** The numbers of a value that does not depend on the input. */
  constant(value: string | undefined): Constant | undefined {
    if (!value) return undefined;
    if (!this.#constants.has(value)) this.#constants.set(value, this.#fold(value));
    return this.#constants.get(value);
  }

  #fold(value: string): Constant | undefined {
    const { model } = this;
    const tensor = model.tensors.get(value);
    if (tensor) return stored(model, tensor);
    const node = this.#makers.get(value);
    if (!node) return undefined;
    const { type, inputs, attributes } = node;
    if (type === 'Constant') {
      const content = attributes.get('value');
      return typeof content === 'object' && 'shape' in content ? stored(model, content) : undefined;
    }
    const first = this.constant(inputs[0]);
    if (!first) return undefined;
    if (type === 'Cast' || type === 'Identity') return first;
    if (type === 'Transpose' && first.shape.length === 2) return transposed(first);
    if (type !== 'DequantizeLinear' || attributes.has('block_size')) return undefined;
    const scale = this.constant(inputs[1]);
    const zeroPoint = this.constant(inputs[2]);
    return scale && dequantized({ codes: first, scale, zeroPoint, axis: attribute(node, 'axis', 1) });
  }

  /**
   * What `match` finds among the operations that lead to a value, none of them further back than the nearest layer. So
   * a mask or a scale in between does not matter, however it was written.
   */
  nearest<T>(value: string, match: (operation: Operation) => T | undefined): T[] {
    const found: T[] = [];
    const seen = new Set([value]);
    for (const at of seen) {
      const operation = this.operation(at);
      const matched = match(operation);
      if (matched !== undefined) found.push(matched);
      else if (!isLayer(operation)) for (const input of this.#sources(at)) seen.add(input);
    }
    return [...new Set(found)];
  }

  /** Every node that leads to a value. */
  leadingTo(value: string): ReadonlySet<OnnxNode> {
    const maker = this.#makers.get(value);
    const nodes = new Set(maker ? [maker] : []);
    for (const { inputs } of nodes) {
      for (const input of inputs) {
        const node = this.#makers.get(input);
        if (node) nodes.add(node);
      }
    }
    return nodes;
  }

  #sources(value: string): string[] {
    const node = this.#makers.get(value);
    if (!node || SIZES.has(node.type)) return [];
    return node.inputs.filter((input) => input !== '' && !this.constant(input));
  }
}

function isLayer(operation: Operation): boolean {
  return operation.kind === 'norm' || operation.kind === 'product' || asLinear(operation) !== undefined;
}

/** A node's attribute that is a number. */
export function attribute({ attributes }: OnnxNode, name: string, otherwise: number): number {
  const value = attributes.get(name);
  return typeof value === 'number' ? value : otherwise;
}
