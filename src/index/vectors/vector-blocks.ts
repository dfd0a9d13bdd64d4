import { crc32 } from 'node:zlib';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { GROUP_SIZE } from './best-scores.js';
import type { IndexFolder } from './index-folder.js';
import {
  allocateRows,
  bytesOf,
  bytesPerComponent,
  encodeRows,
  type RowStorage,
  type Rows,
} from './row-codec.js';

/**
 * Vectors scored at once. Larger blocks do not multiply faster, and their scores with a few hundred queries leave
 * the cache before they are read (docs/vector-index.md).
 */
export const BLOCK_ROWS = 8192;

/** A run of stored vectors. */
export interface VectorBlock {
  /** The rows, and zeros after them up to a whole group. */
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

export interface RowFormat {
  dimension: number;
  storage: RowStorage;
}

/** Which rows a block holds, and how many with the padding to whole groups. */
function rowsOfBlock(count: number, block: number): { firstId: number; rows: number; padded: number } {
  const firstId = block * BLOCK_ROWS;
  const rows = Math.min(BLOCK_ROWS, count - firstId);
  return { firstId, rows, padded: Math.ceil(rows / GROUP_SIZE) * GROUP_SIZE };
}

/** Vectors in memory, in blocks: growing copies nothing, and no single array becomes too long. */
export class MemoryBlocks implements VectorBlocks {
  readonly #format: RowFormat;
  readonly #blocks: Rows[] = [];
  #count = 0;

  constructor(format: RowFormat) {
    this.#format = format;
  }

  get count(): number {
    return this.#count;
  }

  add(vectors: Float32Array): void {
    const { dimension, storage } = this.#format;
    const rows = vectors.length / dimension;
    for (let row = 0; row < rows; ) {
      const at = this.#count % BLOCK_ROWS;
      if (at === 0) this.#blocks.push(allocateRows(storage, BLOCK_ROWS * dimension));
      const end = Math.min(rows, row + BLOCK_ROWS - at);
      const target = this.#blocks.at(-1)!.subarray(at * dimension, (at + end - row) * dimension);
      const source = vectors.subarray(row * dimension, end * dimension);
      encodeRows(source, target, { dimension, firstRow: this.#count });
      this.#count += end - row;
      row = end;
    }
  }

  reader(): BlockReader {
    return async (block) => {
      const { firstId, rows, padded } = rowsOfBlock(this.#count, block);
      return { data: this.#blocks[block].subarray(0, padded * this.#format.dimension), rows, firstId };
    };
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
      for (let block = 0; block * BLOCK_ROWS < count; block++) {
        const { firstId, rows } = rowsOfBlock(count, block);
        const data = allocateRows(format.storage, BLOCK_ROWS * format.dimension);
        const bytes = bytesOf(data).subarray(0, rows * rowBytes);
        await file.readInto(bytes, firstId * rowBytes);
        checksum = crc32(bytes, checksum);
        blocks.#blocks.push(data);
      }
      folder.expectChecksum(name, checksum);
      blocks.#count = count;
    } finally {
      await file.close();
    }
    return blocks;
  }
}

/** Vectors left in their file and read block by block at each search: for more of them than memory holds. */
export class FileBlocks implements VectorBlocks {
  readonly count: number;
  readonly #file: RandomAccessFile;
  readonly #format: RowFormat;

  private constructor(file: RandomAccessFile, count: number, format: RowFormat) {
    this.#file = file;
    this.count = count;
    this.#format = format;
  }

  static async open(folder: IndexFolder, name: string, format: RowFormat): Promise<FileBlocks> {
    const file = await RandomAccessFile.open(folder.file(name));
    return new FileBlocks(file, folder.metadata.count, format);
  }

  reader(): BlockReader {
    const { dimension, storage } = this.#format;
    const rowBytes = dimension * bytesPerComponent(storage);
    const capacity = Math.min(BLOCK_ROWS, Math.ceil(this.count / GROUP_SIZE) * GROUP_SIZE) * dimension;
    const buffers = [allocateRows(storage, capacity), allocateRows(storage, capacity)];
    return async (block) => {
      const { firstId, rows, padded } = rowsOfBlock(this.count, block);
      const data = buffers[block % 2].subarray(0, padded * dimension);
      data.fill(0, rows * dimension);
      await this.#file.readInto(bytesOf(data).subarray(0, rows * rowBytes), firstId * rowBytes);
      return { data, rows, firstId };
    };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
