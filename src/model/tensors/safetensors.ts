import { NearmissError } from '../../base/errors.js';
import { AtomicFile } from '../../base/files.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { formatShape, sameShape, sizeOf } from '../../engine/shape.js';
import { FLOAT_BYTES, type FloatType, readFloats, type StorageType, storedBytes } from './float-storage.js';
import {
  corrupt,
  LENGTH_BYTES,
  MAX_HEADER_BYTES,
  parseSafetensorsHeader,
  type SafetensorsHeader,
  type TensorInfo,
} from './safetensors-header.js';
import type { NamedTensor } from './tensor.js';

/** The stored types that can be read as floats. */
const FLOAT_TYPES = new Map<string, FloatType>([
  ['F32', 'f32'],
  ['F16', 'f16'],
  ['BF16', 'bf16'],
  ['F64', 'f64'],
]);

/**
 * A safetensors file opened for reading. Only the header is in memory; each tensor is read when asked for.
 *
 * @example
 * const file = await SafetensorsFile.open('model.safetensors');
 * const words = await file.read('embeddings.word_embeddings.weight', [30522, 384]);
 * await file.close();
 */
export class SafetensorsFile {
  readonly path: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Every tensor by name, also those of types that {@link SafetensorsFile.read} does not convert. */
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  readonly #file: RandomAccessFile;

  private constructor(file: RandomAccessFile, header: SafetensorsHeader) {
    this.path = file.path;
    this.#file = file;
    this.metadata = header.metadata;
    this.tensors = header.tensors;
  }

  static async open(path: string): Promise<SafetensorsFile> {
    const file = await RandomAccessFile.open(path);
    try {
      return new SafetensorsFile(file, await readHeader(file));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Whether {@link SafetensorsFile.read} can give the tensor as floats. */
  isFloat(name: string): boolean {
    return FLOAT_TYPES.has(this.#info(name).dtype);
  }

  shape(name: string): number[] {
    return [...this.#info(name).shape];
  }

  /** Reads a tensor stored as F32, F16, BF16 or F64, checking its shape where one is given, into a place where one is. */
  async read(name: string, expectedShape?: readonly number[], into?: Float32Array): Promise<Float32Array> {
    const info = this.#info(name);
    if (expectedShape && !sameShape(info.shape, expectedShape)) {
      throw new NearmissError(
        `${this.path}: tensor "${name}": expected shape ${formatShape(expectedShape)}, got ${formatShape(info.shape)}`,
        { hint: 'the weights and config.json are not of the same model' },
      );
    }
    const type = FLOAT_TYPES.get(info.dtype);
    if (!type) {
      throw new NearmissError(
        `${this.path}: tensor "${name}": expected F32, F16, BF16 or F64, got ${info.dtype}`,
        {
          hint: 'convert the weights to one of these types (quantised weights cannot be trained)',
        },
      );
    }
    const values = into ?? new Float32Array(sizeOf(info.shape));
    await readFloats({ file: this.#file, start: info.start, type }, values);
    return values;
  }

  /** Reads the bytes of a tensor of any type, as they are stored. */
  async readBytes(name: string): Promise<Uint8Array> {
    const { start, end } = this.#info(name);
    const bytes = new Uint8Array(end - start);
    await this.#file.readInto(bytes, start);
    return bytes;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #info(name: string): TensorInfo {
    const info = this.tensors.get(name);
    if (info) return info;
    throw new NearmissError(`${this.path}: tensor "${name}" is missing`, {
      hint: `the file holds ${this.tensors.size} tensors: ${preview([...this.tensors.keys()])}`,
    });
  }
}

async function readHeader(file: RandomAccessFile): Promise<SafetensorsHeader> {
  const start = new Uint8Array(LENGTH_BYTES);
  await file.readInto(start, 0);
  const length = Number(new DataView(start.buffer).getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES) {
    throw corrupt(file.path, `expected a header of at most ${MAX_HEADER_BYTES} bytes, got ${length}`);
  }
  if (LENGTH_BYTES + length > file.size) throw file.truncated(LENGTH_BYTES + length);
  const json = new Uint8Array(length);
  await file.readInto(json, LENGTH_BYTES);
  return parseSafetensorsHeader(json, { path: file.path, fileSize: file.size });
}

function preview(names: string[]): string {
  return names.length <= 4 ? names.join(', ') : `${names.slice(0, 4).join(', ')}, …`;
}

export interface WriteSafetensorsOptions {
  /** How to store the numbers; `f32` unless told. `f16` halves the file and rounds. */
  dtype?: StorageType;
  /** Strings for the header. Transformers refuses files without `format`, so it is `pt` unless told. */
  metadata?: Record<string, string>;
}

/**
 * Writes tensors as one safetensors file that appears complete or not at all.
 *
 * @example
 * await writeSafetensors('model.safetensors', [{ name: 'weight', shape: [2], data: Float32Array.of(1, 2) }]);
 */
export async function writeSafetensors(
  path: string,
  tensors: readonly NamedTensor[],
  { dtype = 'f32', metadata = {} }: WriteSafetensorsOptions = {},
): Promise<void> {
  const header = encodeHeader(path, tensors, { dtype, metadata: { format: 'pt', ...metadata } });
  const file = await AtomicFile.create(path);
  try {
    await file.write(header);
    for (const { name, data } of tensors) {
      for (const bytes of storedBytes(data, dtype, `${path}: tensor "${name}"`)) await file.write(bytes);
    }
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

function encodeHeader(
  path: string,
  tensors: readonly NamedTensor[],
  { dtype, metadata }: Required<WriteSafetensorsOptions>,
): Uint8Array {
  const entries = new Map<string, unknown>([['__metadata__', metadata]]);
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    if (entries.has(name)) throw new NearmissError(`${path}: two tensors are named "${name}"`);
    if (sizeOf(shape) !== data.length) {
      throw new NearmissError(
        `${path}: tensor "${name}": shape ${formatShape(shape)} needs ${sizeOf(shape)} values, got ${data.length}`,
      );
    }
    const end = offset + data.length * FLOAT_BYTES[dtype];
    entries.set(name, { dtype: dtype.toUpperCase(), shape, data_offsets: [offset, end] });
    offset = end;
  }
  const json = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  // Spaces up to a multiple of 8 keep the data aligned for readers that map the file.
  const length = Math.ceil(json.length / 8) * 8;
  const header = Buffer.alloc(LENGTH_BYTES + length, ' ');
  header.writeBigUInt64LE(BigInt(length));
  json.copy(header, LENGTH_BYTES);
  return header;
}
