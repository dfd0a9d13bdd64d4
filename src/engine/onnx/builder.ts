import { bytesOf } from '../../base/numbers/bytes-of.js';
import type { ConstantTensor, DType, Shape } from '../shape.js';
import { ProtobufWriter } from './protobuf.js';

/** Attribute values by kind; JavaScript cannot tell 1 from 1.0, so floats are wrapped: `{ float: 1 }`. */
export type OnnxAttribute = number | number[] | string | { float: number };

export const MICROSOFT_DOMAIN = 'com.microsoft';

/** Has `Gelu`. */
const DEFAULT_OPSET = 20;
const IR_VERSION = 9;
/** DataLocation. */
const EXTERNAL = 1;
const ELEMENT_TYPE: Record<DType, number> = { float32: 1, int32: 6, int64: 7, bool: 9, float16: 10 };
/** Of a constant, by how its numbers are kept; those in 8 bits have no dtype, as no graph computes with them. */
const CONSTANT_TYPE: readonly [kind: new (...args: never[]) => ConstantTensor['data'], type: number][] = [
  [Float32Array, ELEMENT_TYPE.float32],
  [Int32Array, ELEMENT_TYPE.int32],
  [BigInt64Array, ELEMENT_TYPE.int64],
  [Uint8Array, 2],
  [Int8Array, 3],
];

/** A tensor that an ONNX model takes or gives. */
export interface OnnxValue {
  name: string;
  shape: Shape;
  dtype: DType;
}

export interface OnnxNode {
  type: string;
  inputs: string[];
  outputs: string[];
  attributes?: Record<string, OnnxAttribute>;
  domain?: string;
}

/** A constant in a file beside the model. */
export interface StoredTensor {
  shape: readonly number[];
  dtype: DType;
  file: string;
  /** First byte in the file. */
  offset: number;
  bytes: number;
}

/** Collects nodes and constants and writes an ONNX model. Field numbers are those of onnx.proto. */
export class OnnxBuilder {
  readonly #nodes: ProtobufWriter[] = [];
  readonly #initializers: ProtobufWriter[] = [];
  readonly #shared = new Map<string, string>();
  readonly #sourceOfDim: (dim: string) => { name: string; axis: number };
  /** Emit standard operators only, for other runtimes, instead of ONNX Runtime's faster own ones. */
  readonly portable: boolean;
  readonly #opset: number;
  #counter = 0;

  constructor(options: {
    sourceOfDim: (dim: string) => { name: string; axis: number };
    portable?: boolean;
    /** Version of the standard operators. */
    opset?: number;
  }) {
    this.#sourceOfDim = options.sourceOfDim;
    this.portable = options.portable ?? false;
    this.#opset = options.opset ?? DEFAULT_OPSET;
  }

  node(node: OnnxNode): void {
    const writer = new ProtobufWriter();
    for (const input of node.inputs) writer.string(1, input);
    for (const output of node.outputs) writer.string(2, output);
    writer.string(4, node.type);
    for (const [name, value] of Object.entries(node.attributes ?? {}))
      writer.message(5, attribute(name, value));
    if (node.domain) writer.string(7, node.domain);
    this.#nodes.push(writer);
  }

  /** A node with one output, whose fresh name is returned. */
  value(type: string, inputs: string[], attributes?: Record<string, OnnxAttribute>, domain?: string): string {
    const output = this.temporary();
    this.node({ type, inputs, outputs: [output], attributes, domain });
    return output;
  }

  temporary(): string {
    return `t${this.#counter++}`;
  }

  initializer(name: string, tensor: ConstantTensor): void {
    const [, type] = CONSTANT_TYPE.find(([kind]) => tensor.data instanceof kind)!;
    this.#initializers.push(tensorHead(name, tensor.shape, type).bytes(9, bytesOf(tensor.data)));
  }

  /** A constant whose numbers are not in the model but in a file beside it. */
  storedInitializer(name: string, { shape, dtype, file, offset, bytes }: StoredTensor): void {
    const writer = tensorHead(name, shape, ELEMENT_TYPE[dtype]);
    for (const [key, value] of Object.entries({ location: file, offset, length: bytes })) {
      writer.message(13, new ProtobufWriter().string(1, key).string(2, String(value)));
    }
    this.#initializers.push(writer.integer(14, EXTERNAL));
  }

  /** A constant list of 64-bit integers (axes, shapes); equal lists share one initializer. */
  integers(values: readonly number[]): string {
    return this.#once(`i${values.join(',')}`, (name) => {
      this.initializer(name, { shape: [values.length], data: BigInt64Array.from(values.map(BigInt)) });
    });
  }

  /** A constant float scalar. */
  scalar(value: number): string {
    return this.#once(`f${value}`, (name) =>
      this.initializer(name, { shape: [], data: new Float32Array([value]) }),
    );
  }

  /** The run-time size of a named dimension as an int64 list of one. */
  dim(dim: string): string {
    return this.#once(`d${dim}`, (name) => {
      const source = this.#sourceOfDim(dim);
      const attributes = { start: source.axis, end: source.axis + 1 };
      this.node({ type: 'Shape', inputs: [source.name], outputs: [name], attributes });
    });
  }

  finish(graphName: string, inputs: readonly OnnxValue[], outputs: readonly OnnxValue[]): Uint8Array {
    const graph = new ProtobufWriter();
    for (const node of this.#nodes) graph.message(1, node);
    graph.string(2, graphName);
    for (const initializer of this.#initializers) graph.message(5, initializer);
    for (const input of inputs) graph.message(11, valueInfo(input));
    for (const output of outputs) graph.message(12, valueInfo(output));
    const model = new ProtobufWriter().integer(1, IR_VERSION).string(2, 'nearmiss').message(7, graph);
    model.message(8, new ProtobufWriter().string(1, '').integer(2, this.#opset));
    if (!this.portable) model.message(8, new ProtobufWriter().string(1, MICROSOFT_DOMAIN).integer(2, 1));
    return model.finish();
  }

  #once(key: string, create: (name: string) => void): string {
    const known = this.#shared.get(key);
    if (known) return known;
    const name = this.temporary();
    this.#shared.set(key, name);
    create(name);
    return name;
  }
}

function tensorHead(name: string, shape: readonly number[], type: number): ProtobufWriter {
  const writer = new ProtobufWriter();
  for (const size of shape) writer.integer(1, size);
  return writer.integer(2, type).string(8, name);
}

function attribute(name: string, value: OnnxAttribute): ProtobufWriter {
  const writer = new ProtobufWriter().string(1, name);
  if (typeof value === 'number') return writer.integer(3, value).integer(20, 2);
  if (typeof value === 'string') return writer.string(4, value).integer(20, 3);
  if (Array.isArray(value)) {
    for (const item of value) writer.integer(8, item);
    return writer.integer(20, 7);
  }
  return writer.float(2, value.float).integer(20, 1);
}

function valueInfo(value: OnnxValue): ProtobufWriter {
  const shape = new ProtobufWriter();
  for (const dim of value.shape) {
    const writer = new ProtobufWriter();
    shape.message(1, typeof dim === 'number' ? writer.integer(1, dim) : writer.string(2, dim));
  }
  const tensor = new ProtobufWriter().integer(1, ELEMENT_TYPE[value.dtype]).message(2, shape);
  return new ProtobufWriter().string(1, value.name).message(2, new ProtobufWriter().message(1, tensor));
}
