import { bytesOf } from '../../base/numbers/bytes-of.js';
import { encodeFloat16 } from '../../base/numbers/float16.js';
import { ProtobufWriter } from '../../engine/onnx/protobuf.js';

/** TensorProto.DataType */
const TYPES = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float16: 10 } as const;
type Numbers = Float32Array | Uint8Array | Int8Array | Int32Array | BigInt64Array | Uint16Array;
/** Bytes below which a tensor stays in the model. */
const SMALL = 128;
type Attribute = number | number[] | { float: number };

/** Writes ONNX graphs as other people's exporters do: names of its own for nodes and matrices, data of every type. */
export class GraphWriter {
  readonly #nodes: ProtobufWriter[] = [];
  readonly #tensors: ProtobufWriter[] = [];
  readonly #outside: Uint8Array[] = [];
  readonly #dataFile: string | undefined;
  #offset = 0;
  #counter = 0;

  /** @param dataFile where larger tensors go instead of into the model */
  constructor({ dataFile }: { dataFile?: string } = {}) {
    this.#dataFile = dataFile;
  }

  /** A node with one output or more; the name of the first is given back. */
  node(
    type: string,
    inputs: readonly string[],
    attributes: Record<string, Attribute> = {},
    outputs = 1,
  ): string {
    const [operator, domain] = type.split('.').toReversed();
    const name = `n${this.#counter++}`;
    const writer = new ProtobufWriter();
    for (const input of inputs) writer.string(1, input);
    for (let i = 0; i < outputs; i++) writer.string(2, `${name}_${i}`);
    writer.string(3, `${operator}_${name}`).string(4, operator);
    for (const [key, value] of Object.entries(attributes)) writer.message(5, attribute(key, value));
    if (domain) writer.string(7, 'com.microsoft');
    this.#nodes.push(writer);
    return `${name}_0`;
  }

  /** The name of another output of the node that made a value. */
  output(value: string, index: number): string {
    return value.replace(/\d+$/, String(index));
  }

  rename(value: string, name: string): void {
    this.#nodes.push(new ProtobufWriter().string(1, value).string(2, name).string(4, 'Identity'));
  }

  tensor(shape: readonly number[], data: Numbers, name = `onnx::MatMul_${this.#counter++}`): string {
    const bytes = bytesOf(data);
    const writer = new ProtobufWriter();
    for (const size of shape) writer.integer(1, size);
    writer.integer(2, typeOf(data)).string(8, name);
    if (this.#dataFile === undefined || bytes.length < SMALL) writer.bytes(9, bytes);
    else {
      const place = { location: this.#dataFile, offset: this.#offset, length: bytes.length };
      for (const [key, value] of Object.entries(place)) {
        writer.message(13, new ProtobufWriter().string(1, key).string(2, String(value)));
      }
      writer.integer(14, 1);
      this.#outside.push(bytes);
      this.#offset += bytes.length;
    }
    this.#tensors.push(writer);
    return name;
  }

  float16(shape: readonly number[], values: Float32Array, name?: string): string {
    const halves = new Uint16Array(values.length);
    encodeFloat16(values, halves);
    return this.tensor(shape, halves, name);
  }

  scalar(value: number): string {
    return this.tensor([], Float32Array.of(value));
  }

  integers(...values: number[]): string {
    return this.tensor([values.length], BigInt64Array.from(values.map(BigInt)));
  }

  /** Codes in the field of small integers, one varint each, as quantizers write zero points. */
  varints(type: 'uint8' | 'int8', shape: readonly number[], codes: readonly number[]): string {
    const name = `zero_point_${this.#counter++}`;
    const writer = new ProtobufWriter();
    for (const size of shape) writer.integer(1, size);
    const bytes = codes.flatMap((code) => (code < 0x80 ? [code] : [(code & 0x7f) | 0x80, code >> 7]));
    this.#tensors.push(writer.integer(2, TYPES[type]).bytes(5, Uint8Array.from(bytes)).string(8, name));
    return name;
  }

  /** The model, and what belongs into the file beside it. */
  finish(inputs: readonly string[], outputs: readonly string[]): { model: Uint8Array; data: Uint8Array } {
    const graph = new ProtobufWriter();
    for (const node of this.#nodes) graph.message(1, node);
    graph.string(2, 'export');
    for (const tensor of this.#tensors) graph.message(5, tensor);
    for (const name of inputs) graph.message(11, valueInfo(name, TYPES.int64, 2));
    for (const name of outputs) graph.message(12, valueInfo(name, TYPES.float32));
    const model = new ProtobufWriter().integer(1, 8).message(7, graph);
    model.message(8, new ProtobufWriter().string(1, '').integer(2, 17));
    model.message(8, new ProtobufWriter().string(1, 'com.microsoft').integer(2, 1));
    return { model: model.finish(), data: Buffer.concat(this.#outside) };
  }
}

function typeOf(data: Numbers): number {
  if (data instanceof Float32Array) return TYPES.float32;
  if (data instanceof Uint8Array) return TYPES.uint8;
  if (data instanceof Int8Array) return TYPES.int8;
  if (data instanceof Int32Array) return TYPES.int32;
  return data instanceof Uint16Array ? TYPES.float16 : TYPES.int64;
}

function attribute(name: string, value: Attribute): ProtobufWriter {
  const writer = new ProtobufWriter().string(1, name);
  if (typeof value === 'number') return writer.integer(3, value).integer(20, 2);
  if (!Array.isArray(value)) return writer.float(2, value.float).integer(20, 1);
  for (const item of value) writer.integer(8, item);
  return writer.integer(20, 7);
}

function valueInfo(name: string, type: number, rank?: number): ProtobufWriter {
  const tensor = new ProtobufWriter().integer(1, type);
  if (rank !== undefined) {
    const shape = new ProtobufWriter();
    for (const dim of ['batch', 'sequence']) shape.message(1, new ProtobufWriter().string(2, dim));
    tensor.message(2, shape);
  }
  return new ProtobufWriter().string(1, name).message(2, new ProtobufWriter().message(1, tensor));
}
