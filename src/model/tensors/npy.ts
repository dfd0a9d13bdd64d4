import { NearmissError } from '../../base/errors.js';
import type { RandomAccessFile } from '../../base/random-access-file.js';
import type { FloatType, StorageType } from './float-storage.js';

/** What the header of a NumPy `.npy` file says about a matrix. */
export interface NpyHeader {
  rows: number;
  dimension: number;
  type: FloatType;
  /** First byte of the numbers. */
  start: number;
}

const MAGIC = '\x93NUMPY';

/** Room for any count of rows, so that the header can be overwritten when the count is known. */
const WRITTEN_HEADER_BYTES = 128;

const DESCRIPTORS: Record<StorageType, string> = { f32: '<f4', f16: '<f2' };
const TYPES = new Map<string, FloatType>([
  ['<f4', 'f32'],
  ['<f2', 'f16'],
  ['<f8', 'f64'],
]);

/** The header for a matrix, always 128 bytes (format version 1.0). */
export function encodeNpyHeader({
  rows,
  dimension,
  type,
}: Omit<NpyHeader, 'start'> & { type: StorageType }): Buffer {
  const header = Buffer.alloc(WRITTEN_HEADER_BYTES, ' ');
  header.write(`${MAGIC}\x01\x00`, 'latin1');
  header.writeUInt16LE(WRITTEN_HEADER_BYTES - 10, 8);
  header.write(
    `{'descr': '${DESCRIPTORS[type]}', 'fortran_order': False, 'shape': (${rows}, ${dimension}), }`,
    10,
  );
  header.write('\n', WRITTEN_HEADER_BYTES - 1);
  return header;
}

/** Reads and checks the header of a `.npy` file: a matrix, or a vector, which counts as one column. */
export async function readNpyHeader(file: RandomAccessFile): Promise<NpyHeader> {
  const fail = (reason: string, hint = 'write the file again, e.g. with numpy.save'): NearmissError =>
    new NearmissError(`${file.path}: not a NumPy file that can be read: ${reason}`, { hint });
  const lead = Buffer.alloc(12);
  await file.readInto(lead, 0);
  if (lead.toString('latin1', 0, 6) !== MAGIC) throw fail('it does not start with \\x93NUMPY');
  const version = lead[6];
  if (version < 1 || version > 3) throw fail(`expected format version 1, 2 or 3, got ${version}`);
  const [length, textStart] = version === 1 ? [lead.readUInt16LE(8), 10] : [lead.readUInt32LE(8), 12];
  if (textStart + length > file.size) throw file.truncated(textStart + length);
  const bytes = Buffer.alloc(length);
  await file.readInto(bytes, textStart);
  const text = bytes.toString('latin1');

  const descriptor = /'descr':\s*'([^']*)'/.exec(text)?.[1];
  const type = TYPES.get(descriptor ?? '');
  if (!type) {
    throw fail(
      `expected little-endian floats ('<f4', '<f2' or '<f8'), got ${descriptor === undefined ? 'another type' : `'${descriptor}'`}`,
      "convert it: numpy.save(path, array.astype('<f4'))",
    );
  }
  if (!/'fortran_order':\s*False/.test(text)) {
    throw fail(
      'expected rows one after another, got columns',
      'numpy.save(path, numpy.ascontiguousarray(array))',
    );
  }
  const shape = /'shape':\s*\(([\d,\sL]*)\)/.exec(text)?.[1].match(/\d+/g)?.map(Number) ?? [];
  if (shape.length < 1 || shape.length > 2) throw fail(`expected a matrix, got ${shape.length} axes`);
  return { rows: shape[0], dimension: shape[1] ?? 1, type, start: textStart + length };
}
