import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { NearmissError } from '../../base/errors.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { allocateRows, bytesPerComponent, decodeRows, encodeRows, type Rows } from '../vectors/row-codec.js';
import {
  type BlockReader,
  type MemoryBlocks,
  type RowFormat,
  rowsPerBlock,
  type VectorBlocks,
} from '../vectors/vector-blocks.js';

export const ROWS_FILE = 'rows.bin';
export const CHECKSUM_BYTES = 4;

/** Whole vectors, of which few are wanted at a time: the best of those that were found by their codes. */
export interface WholeRows extends VectorBlocks {
  /** Puts the vector with this id into `target`. */
  read(id: number, target: Float32Array): void;
}

/** Rows in memory, of an index that was just built. */
export function rowsInMemory(blocks: MemoryBlocks): WholeRows {
  return {
    count: blocks.count,
    read: (id, target) => decodeRows(blocks.row(id), target),
    reader: () => blocks.reader(),
    close: () => blocks.close(),
  };
}

/**
 * Rows in a file, each followed by its checksum, so that one can be read and trusted without the others. Reading waits: a row
 * that the system has in its cache comes in some microseconds, less than it takes to hand the work over.
 */
export class RowFile implements WholeRows {
  readonly path: string;
  readonly count: number;
  readonly #format: RowFormat;
  readonly #file: number;
  readonly #rowBytes: number;
  readonly #record: Uint8Array;
  readonly #row: Rows;
  readonly #remedy: string;

  constructor(path: string, count: number, format: RowFormat, remedy: string) {
    this.path = path;
    this.count = count;
    this.#format = format;
    this.#remedy = remedy;
    this.#rowBytes = format.dimension * bytesPerComponent(format.storage);
    this.#row = allocateRows(format.storage, format.dimension);
    this.#record = new Uint8Array(this.#rowBytes + CHECKSUM_BYTES);
    this.#file = openSync(path, 'r');
  }

  read(id: number, target: Float32Array): void {
    this.#readRecords(this.#record, id);
    this.#unpack(this.#record, 0, bytesOf(this.#row), id);
    decodeRows(this.#row, target);
  }

  reader(): BlockReader {
    const { dimension, storage } = this.#format;
    const most = Math.min(rowsPerBlock(this.#format), this.count);
    const recordBytes = this.#rowBytes + CHECKSUM_BYTES;
    const records = new Uint8Array(most * recordBytes);
    const buffers = [allocateRows(storage, most * dimension), allocateRows(storage, most * dimension)];
    return async (block) => {
      const firstId = block * most;
      const rows = Math.min(most, this.count - firstId);
      const data = buffers[block % 2].subarray(0, rows * dimension);
      this.#readRecords(records.subarray(0, rows * recordBytes), firstId);
      const bytes = bytesOf(data);
      for (let row = 0; row < rows; row++) {
        const target = bytes.subarray(row * this.#rowBytes, (row + 1) * this.#rowBytes);
        this.#unpack(records, row * recordBytes, target, firstId + row);
      }
      return { data, rows, firstId };
    };
  }

  async close(): Promise<void> {
    closeSync(this.#file);
  }

  #readRecords(target: Uint8Array, first: number): void {
    const position = first * (this.#rowBytes + CHECKSUM_BYTES);
    for (let filled = 0; filled < target.length; ) {
      const bytes = readSync(this.#file, target, filled, target.length - filled, position + filled);
      if (bytes === 0) throw this.#damaged(first, 'the file is cut off');
      filled += bytes;
    }
  }

  #unpack(records: Uint8Array, start: number, target: Uint8Array, id: number): void {
    const end = start + this.#rowBytes;
    const bytes = records.subarray(start, end);
    const expected =
      (records[end] | (records[end + 1] << 8) | (records[end + 2] << 16) | (records[end + 3] << 24)) >>> 0;
    if (crc32(bytes) !== expected) throw this.#damaged(id, 'its checksum is wrong');
    target.set(bytes);
  }

  #damaged(id: number, reason: string): NearmissError {
    return new NearmissError(`${this.path}: vector ${id} is damaged: ${reason}`, { hint: this.#remedy });
  }
}

/** The records of some vectors, as they are in the file. */
export function rowRecords(
  vectors: Float32Array,
  format: RowFormat,
  place: { firstRow: number; source: string },
): Uint8Array {
  const { dimension, storage } = format;
  const rows = allocateRows(storage, vectors.length);
  encodeRows(vectors, rows, { dimension, ...place });
  return packRecords(rows, format);
}

/** Stored rows, each with its checksum. */
export function packRecords(rows: Rows, { dimension, storage }: RowFormat): Uint8Array {
  const bytes = bytesOf(rows);
  const rowBytes = dimension * bytesPerComponent(storage);
  const count = bytes.length / rowBytes;
  const records = new Uint8Array(count * (rowBytes + CHECKSUM_BYTES));
  const view = new DataView(records.buffer);
  for (let row = 0; row < count; row++) {
    const part = bytes.subarray(row * rowBytes, (row + 1) * rowBytes);
    const start = row * (rowBytes + CHECKSUM_BYTES);
    records.set(part, start);
    view.setUint32(start + rowBytes, crc32(part), true);
  }
  return records;
}
