import { describe, NearmissError, shorten } from '../../base/errors.js';
import { isObject } from '../../base/is-object.js';
import { formatShape, sizeOf } from '../../engine/shape.js';

/** Where one tensor lies in a safetensors file and how it is stored. */
export interface TensorInfo {
  name: string;
  /** As the file spells it, e.g. `F16`; not necessarily one that can be read as floats. */
  dtype: string;
  shape: number[];
  /** First byte, counted from the start of the file. */
  start: number;
  /** One past the last byte. */
  end: number;
}

export interface SafetensorsHeader {
  metadata: Record<string, string>;
  tensors: Map<string, TensorInfo>;
}

/** The reference implementation refuses longer headers, too. */
export const MAX_HEADER_BYTES = 100_000_000;

/** The length field before the JSON. */
export const LENGTH_BYTES = 8;

const BYTES_PER_ELEMENT: Record<string, number> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  F8_E8M0: 1,
  U16: 2,
  I16: 2,
  F16: 2,
  BF16: 2,
  U32: 4,
  I32: 4,
  F32: 4,
  U64: 8,
  I64: 8,
  F64: 8,
  C64: 8,
};

/** What is known of the file whose header is being parsed. */
export interface HeaderContext {
  path: string;
  /** Bytes in the whole file. */
  fileSize: number;
}

/**
 * Parses the JSON header and checks what the format promises: known sizes, every tensor inside the file,
 * and the tensors together covering the data exactly, without holes or overlaps.
 */
export function parseSafetensorsHeader(
  json: Uint8Array,
  { path, fileSize }: HeaderContext,
): SafetensorsHeader {
  const dataStart = LENGTH_BYTES + json.length;
  const entries = Object.entries(parseObject(json, path));
  const tensors = new Map<string, TensorInfo>();
  let metadata: Record<string, string> = {};
  for (const [name, entry] of entries) {
    if (name === '__metadata__') metadata = parseMetadata(entry, path);
    else tensors.set(name, parseTensor({ path, name, entry, dataStart }));
  }
  checkCoverage([...tensors.values()], { path, dataStart, fileSize });
  return { metadata, tensors };
}

function parseObject(json: Uint8Array, path: string): object {
  if (json[0] !== 0x7b) throw corrupt(path, 'the header does not start with "{"');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch (error) {
    throw corrupt(path, `the header is not valid JSON: ${(error as Error).message}`);
  }
  return value as object;
}

function parseMetadata(entry: unknown, path: string): Record<string, string> {
  if (!isObject(entry)) throw corrupt(path, `"__metadata__": expected an object, got ${describe(entry)}`);
  const wrong = Object.entries(entry).find(([, value]) => typeof value !== 'string');
  if (wrong) {
    throw corrupt(path, `"__metadata__.${wrong[0]}": expected a string, got ${describe(wrong[1])}`);
  }
  return entry as Record<string, string>;
}

interface TensorEntry {
  path: string;
  name: string;
  entry: unknown;
  dataStart: number;
}

function parseTensor({ path, name, entry, dataStart }: TensorEntry): TensorInfo {
  const fail = (reason: string): NearmissError => corrupt(path, `tensor "${shorten(name)}": ${reason}`);
  if (!isObject(entry)) throw fail(`expected an object, got ${describe(entry)}`);
  const { dtype, shape, data_offsets: offsets } = entry;
  if (typeof dtype !== 'string') throw fail(`"dtype": expected a string, got ${describe(dtype)}`);
  if (!isSizes(shape)) throw fail(`"shape": expected an array of sizes, got ${describe(shape)}`);
  if (!isSizes(offsets) || offsets.length !== 2) {
    throw fail(`"data_offsets": expected [begin, end], got ${describe(offsets)}`);
  }
  const [begin, end] = offsets;
  if (begin > end) throw fail(`"data_offsets": expected begin ≤ end, got ${formatShape(offsets)}`);
  const width = Object.hasOwn(BYTES_PER_ELEMENT, dtype) ? BYTES_PER_ELEMENT[dtype] : undefined;
  if (width !== undefined && sizeOf(shape) * width !== end - begin) {
    throw fail(
      `${dtype} ${formatShape(shape)} needs ${sizeOf(shape) * width} bytes, got ${end - begin} by its "data_offsets"`,
    );
  }
  return { name, dtype, shape, start: dataStart + begin, end: dataStart + end };
}

function checkCoverage(tensors: TensorInfo[], at: HeaderContext & { dataStart: number }): void {
  let covered = at.dataStart;
  for (const tensor of tensors.sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (tensor.start !== covered) {
      const what = tensor.start < covered ? 'overlaps the tensor before it' : 'leaves a hole before it';
      throw corrupt(
        at.path,
        `tensor "${shorten(tensor.name)}" ${what}: expected begin ${covered - at.dataStart}, got ${tensor.start - at.dataStart}`,
      );
    }
    covered = tensor.end;
  }
  if (covered !== at.fileSize) {
    throw new NearmissError(
      `${at.path}: ${covered > at.fileSize ? 'the file is cut off' : 'there are bytes after the last tensor'}: expected ${covered} bytes, got ${at.fileSize}`,
      { hint: 'copy or download the file again' },
    );
  }
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

/** The error for a file that is not safetensors, or no longer. */
export function corrupt(path: string, reason: string): NearmissError {
  return new NearmissError(`${path}: not a valid safetensors file: ${reason}`, {
    hint: 'the file is damaged or of another format: copy, download or convert it again',
  });
}
