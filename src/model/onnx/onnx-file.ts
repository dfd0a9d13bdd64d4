import { dirname, isAbsolute, join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { corruptOnnx } from './corrupt-onnx.js';
import { type Field, ProtobufReader, type Range } from './protobuf-reader.js';

/** A constant of the model: what it is, and where its numbers lie. */
export interface OnnxTensor extends Range {
  name: string;
  shape: number[];
  /** TensorProto.DataType. */
  type: number;
  /** The file beside the model that holds the numbers; the model itself where none is given. */
  location?: string;
  /** Stored as varints, one after another, instead of in the type's own form. */
  packed: boolean;
}

export type OnnxAttribute = number | number[] | string | OnnxTensor;

/** One step of the computation. */
export interface OnnxNode {
  name: string;
  /** The operator, with its domain before it where that is not the standard one: `com.microsoft.Attention`. */
  type: string;
  /** Names of values; an input that is left out has an empty name. */
  inputs: string[];
  outputs: string[];
  attributes: ReadonlyMap<string, OnnxAttribute>;
}

const STANDARD_DOMAINS = ['', 'ai.onnx'];
/** DataLocation.EXTERNAL. */
const EXTERNAL = 1;

/** An ONNX model opened for reading: nodes and places of constants are in memory, numbers are read when asked for. */
export class OnnxFile {
  readonly path: string;
  readonly nodes: OnnxNode[] = [];
  readonly tensors = new Map<string, OnnxTensor>();
  readonly inputs: string[] = [];
  readonly outputs: string[] = [];
  readonly #reader: ProtobufReader;
  /** Files of external data, by their name in the model. */
  readonly #beside = new Map<string, Promise<RandomAccessFile>>();

  private constructor(reader: ProtobufReader) {
    this.path = reader.file.path;
    this.#reader = reader;
  }

  static async open(path: string): Promise<OnnxFile> {
    const file = await RandomAccessFile.open(path);
    const model = new OnnxFile(new ProtobufReader(file));
    try {
      await model.#readModel({ start: 0, end: file.size });
      return model;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** The file in which a tensor's numbers lie. */
  async fileOf({ location }: OnnxTensor): Promise<RandomAccessFile> {
    if (location === undefined) return this.#reader.file;
    const opened = this.#beside.get(location) ?? RandomAccessFile.open(join(dirname(this.path), location));
    this.#beside.set(location, opened);
    return opened;
  }

  /** The numbers of a tensor that is stored as varints. */
  unpack({ start, end }: OnnxTensor): Promise<number[]> {
    return this.#reader.integers({ number: 0, start, end });
  }

  async close(): Promise<void> {
    await this.#reader.file.close();
    for (const opened of this.#beside.values())
      await opened.then((file) => file.close()).catch(() => undefined);
  }

  // Field numbers are those of onnx.proto.

  async #readModel(range: Range): Promise<void> {
    let found = false;
    for await (const field of this.#reader.fields(range)) {
      if (field.number !== 7) continue;
      found = true;
      await this.#readGraph(field);
    }
    if (found) return;
    throw corruptOnnx(this.path, 'it holds no graph');
  }

  async #readGraph(range: Range): Promise<void> {
    for await (const field of this.#reader.fields(range)) {
      if (field.number === 1) this.nodes.push(await this.#readNode(field));
      else if (field.number === 5) {
        const tensor = await this.#readTensor(field);
        this.tensors.set(tensor.name, tensor);
      } else if (field.number === 11) this.inputs.push(await this.#readName(field));
      else if (field.number === 12) this.outputs.push(await this.#readName(field));
    }
  }

  async #readNode(range: Range): Promise<OnnxNode> {
    const reader = this.#reader;
    const [inputs, outputs]: string[][] = [[], []];
    const attributes = new Map<string, OnnxAttribute>();
    let [name, type, domain] = ['', '', ''];
    for await (const field of reader.fields(range)) {
      if (field.number === 1) inputs.push(await reader.text(field));
      else if (field.number === 2) outputs.push(await reader.text(field));
      else if (field.number === 3) name = await reader.text(field);
      else if (field.number === 4) type = await reader.text(field);
      else if (field.number === 7) domain = await reader.text(field);
      else if (field.number === 5) {
        const attribute = await this.#readAttribute(field);
        if (attribute.value !== undefined) attributes.set(attribute.name, attribute.value);
      }
    }
    const qualified = STANDARD_DOMAINS.includes(domain) ? type : `${domain}.${type}`;
    return { name, type: qualified, inputs, outputs, attributes };
  }

  async #readAttribute(range: Range): Promise<{ name: string; value?: OnnxAttribute }> {
    const reader = this.#reader;
    let name = '';
    let value: OnnxAttribute | undefined;
    const integers: number[] = [];
    for await (const field of reader.fields(range)) {
      if (field.number === 1) name = await reader.text(field);
      else if (field.number === 2) value = await this.#readFloat(field);
      else if (field.number === 3) value = field.integer;
      else if (field.number === 4) value = await reader.text(field);
      else if (field.number === 5) value = await this.#readTensor(field);
      else if (field.number === 8) integers.push(...(await reader.integers(field)));
    }
    return { name, value: integers.length > 0 ? integers : value };
  }

  async #readTensor(range: Range): Promise<OnnxTensor> {
    const reader = this.#reader;
    const shape: number[] = [];
    const external = new Map<string, string>();
    let [name, type, isExternal, packed] = ['', 0, false, false];
    let data: Range = { start: 0, end: 0 };
    for await (const field of reader.fields(range)) {
      if (field.number === 1) shape.push(...(await reader.integers(field)));
      else if (field.number === 2) type = field.integer ?? 0;
      else if (field.number === 8) name = await reader.text(field);
      else if (field.number === 13) external.set(...(await this.#readEntry(field)));
      else if (field.number === 14) isExternal = field.integer === EXTERNAL;
      else if (DATA_FIELDS.has(field.number)) {
        data = { start: field.start, end: field.end };
        packed = VARINT_FIELDS.has(field.number);
      }
    }
    if (!isExternal) return { name, shape, type, packed, ...data };
    const location = this.#inside(external.get('location') ?? '', name);
    const start = Number(external.get('offset') ?? 0);
    const end = start + Number(external.get('length') ?? 0);
    return { name, shape, type, packed: false, location, start, end };
  }

  async #readEntry(range: Range): Promise<[string, string]> {
    const entry: [string, string] = ['', ''];
    for await (const field of this.#reader.fields(range))
      entry[field.number - 1] = await this.#reader.text(field);
    return entry;
  }

  async #readName(range: Range): Promise<string> {
    for await (const field of this.#reader.fields(range)) {
      if (field.number === 1) return this.#reader.text(field);
    }
    return '';
  }

  async #readFloat(field: Field): Promise<number> {
    const bytes = await this.#reader.bytes(field);
    return new DataView(bytes.buffer).getFloat32(0, true);
  }

  #inside(location: string, tensor: string): string {
    if (location !== '' && !isAbsolute(location) && !location.split(/[\\/]/).includes('..')) return location;
    throw new NearmissError(
      `${this.path}: tensor "${tensor}": expected its data in a file beside the model, got "${location}"`,
      { hint: 'do not use models that point outside their own folder' },
    );
  }
}

/** float_data, int32_data, int64_data, raw_data, double_data. */
const DATA_FIELDS = new Set([4, 5, 7, 9, 10]);
/** int32_data (which also holds 8-bit numbers) and int64_data. */
const VARINT_FIELDS = new Set([5, 7]);
