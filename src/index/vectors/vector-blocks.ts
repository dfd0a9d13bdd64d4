import { crc32 } from 'node:zlib';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import type { IndexFolder } from './index-folder.js';
import { allocateRows, bytesPerComponent, encodeRows, type RowStorage, type Rows } from './row-codec.js';

/** A block is at most so large; two of them are in memory when the vectors are on disk. */
const BLOCK_BYTES = 64 * 2 ** 20;
const MAX_BLOCK_ROWS = 131_072;

/** Vectors ranked at once: many, since a selection costs by the number of blocks (docs/vector-index.md). */
export function rowsPerBlock({ dimension, storage }: RowFormat): number {
  const rowBytes = dimension * bytesPerComponent(storage);
  return Math.max(1, Math.min(MAX_BLOCK_ROWS, Math.floor(BLOCK_BYTES / rowBytes)));
}

/** Bytes of such a block. */
export function bytesPerBlock(format: RowFormat): number {
  return rowsPerBlock(format) * format.dimension * bytesPerComponent(format.storage);
}

/** A run of stored vectors. */
export interface VectorBlock {
  data: Rows;
  rows: number;
  firstId: number;
}

/** Reads the blocks of one search in order; a block is valid until the one after next is read. */
export type BlockReader = (block: number) => Promise<VectorBlock>;

/** Where the vectors of a flat index are. */
export interface VectorBlocks {
  readonly count: number;
  /** A reader with buffers of its own, so that searches may overlap. */
  reader(): BlockReader;
  close(): Promise<void>;
}

/** All blocks in order; the next one is read while this one is used, and a block is valid until the one after next. */
export async function* blocksInOrder(blocks: VectorBlocks, format: RowFormat): AsyncGenerator<VectorBlock> {
  const read = blocks.reader();
  const total = Math.ceil(blocks.count / rowsPerBlock(format));
  let upcoming = total > 0 ? read(0) : undefined;
  for (let next = 1; upcoming; next++) {
    const block = await upcoming;
    upcoming = next < total ? read(next) : undefined;
    // What goes wrong is thrown where it is awaited, unless whoever takes the blocks stops before.
    upcoming?.catch(() => undefined);
    yield block;
  }
}

export interface RowFormat {
  dimension: number;
  storage: RowStorage;
}

/** Vectors in memory, in blocks: growing copies nothing, and no single array becomes too long. */
export class MemoryBlocks implements VectorBlocks {
  readonly #format: RowFormat;
  readonly #rowsPerBlock: number;
  readonly #blocks: Rows[] = [];
  #count = 0;

  constructor(format: RowFormat) {
    this.#format = format;
    this.#rowsPerBlock = rowsPerBlock(format);
  }

  get count(): number {
    return this.#count;
  }

  /** @param from where the vectors are from, for error messages */
  add(vectors: Float32Array, from: string): void {
    const { dimension } = this.#format;
    const rows = vectors.length / dimension;
    for (let row = 0; row < rows; ) {
      const at = this.#count % this.#rowsPerBlock;
      if (at === 0) this.#blocks.push(this.#emptyBlock());
      const end = Math.min(rows, row + this.#rowsPerBlock - at);
      const target = this.#blocks.at(-1)!.subarray(at * dimension, (at + end - row) * dimension);
      const source = vectors.subarray(row * dimension, end * dimension);
      encodeRows(source, target, { dimension, firstRow: this.#count, source: from });
      this.#count += end - row;
      row = end;
    }
  }

  reader(): BlockReader {
    return async (block) => {
      const firstId = block * this.#rowsPerBlock;
      const rows = Math.min(this.#rowsPerBlock, this.#count - firstId);
      return { data: this.#blocks[block].subarray(0, rows * this.#format.dimension), rows, firstId };
    };
  }

  /** A stored row: a view. */
  row(id: number): Rows {
    const { dimension } = this.#format;
    const start = (id % this.#rowsPerBlock) * dimension;
    return this.#blocks[Math.floor(id / this.#rowsPerBlock)].subarray(start, start + dimension);
  }

  async close(): Promise<void> {
    this.#blocks.length = 0;
  }

  /** Reads a whole file of rows, comparing its checksum. */
  static async load(folder: IndexFolder, name: string, format: RowFormat): Promise<MemoryBlocks> {
    const blocks = new MemoryBlocks(format);
    const file = await RandomAccessFile.open(folder.file(name));
    try {
      const { count } = folder.metadata;
      const rowBytes = format.dimension * bytesPerComponent(format.storage);
      let checksum = 0;
      while (blocks.#count < count) {
        const rows = Math.min(blocks.#rowsPerBlock, count - blocks.#count);
        const data = blocks.#emptyBlock();
        const bytes = bytesOf(data).subarray(0, rows * rowBytes);
        await file.readInto(bytes, blocks.#count * rowBytes);
        checksum = crc32(bytes, checksum);
        blocks.#blocks.push(data);
        blocks.#count += rows;
      }
      folder.expectChecksum(name, checksum);
    } finally {
      await file.close();
    }
    return blocks;
  }

  /** The system gives memory to a block as it is filled, so a small index does not pay for a whole one. */
  #emptyBlock(): Rows {
    return allocateRows(this.#format.storage, this.#rowsPerBlock * this.#format.dimension);
  }
}

/**
 * Vectors left in their file and read block by block at each search: for more of them than memory holds. A block is
 * compared with its checksum when it is read for the first time.
 */
export class FileBlocks implements VectorBlocks {
  readonly count: number;
  readonly #file: RandomAccessFile;
  readonly #format: RowFormat;
  readonly #check: (block: number, bytes: Uint8Array) => void;
  readonly #checked = new Set<number>();

  private constructor(
    file: RandomAccessFile,
    count: number,
    format: RowFormat,
    check: (block: number, bytes: Uint8Array) => void,
  ) {
    this.#file = file;
    this.count = count;
    this.#format = format;
    this.#check = check;
  }

  static async open(folder: IndexFolder, name: string, format: RowFormat): Promise<FileBlocks> {
    const file = await RandomAccessFile.open(folder.file(name));
    const blockBytes = bytesPerBlock(format);
    return new FileBlocks(file, folder.metadata.count, format, (block, bytes) =>
      folder.expectBlock(name, blockBytes, block, crc32(bytes)),
    );
  }

  reader(): BlockReader {
    const { dimension, storage } = this.#format;
    const rowBytes = dimension * bytesPerComponent(storage);
    const most = Math.min(rowsPerBlock(this.#format), this.count);
    const buffers = [allocateRows(storage, most * dimension), allocateRows(storage, most * dimension)];
    return async (block) => {
      const firstId = block * most;
      const rows = Math.min(most, this.count - firstId);
      const data = buffers[block % 2].subarray(0, rows * dimension);
      await this.#file.readInto(bytesOf(data), firstId * rowBytes);
      if (!this.#checked.has(block)) {
        this.#check(block, bytesOf(data));
        this.#checked.add(block);
      }
      return { data, rows, firstId };
    };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
