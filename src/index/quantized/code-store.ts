import { readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { RandomAccessFile } from '../../base/random-access-file.js';
import type { IndexFolder } from '../vectors/index-folder.js';

export const CODES_FILE = 'codes.bin';

/** Records that are made, held and checked together. */
const PIECE_BYTES = 2 ** 30;
/** Of a file that is read in parts, so many bytes are checked at once when one of them is first read. */
const CHECKED_BYTES = 2 ** 20;

/** Records in a piece. */
export function recordsPerPiece(stride: number): number {
  return Math.floor(PIECE_BYTES / stride);
}

/** Bytes of the file that share a checksum: whole records. */
export function checkedBytes(stride: number): number {
  return stride * Math.max(1, Math.floor(CHECKED_BYTES / stride));
}

/** The records of all vectors, list after list. */
export interface CodeStore {
  /** Copies records to the beginning of `target`. */
  load(first: number, records: number, target: Uint8Array): void;
  /** All of them, in pieces. */
  pieces(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** Records in memory. */
export class MemoryCodes implements CodeStore {
  readonly #stride: number;
  readonly #pieces: readonly Uint8Array[];

  /** @param pieces all but the last have {@link recordsPerPiece} records */
  constructor(stride: number, pieces: readonly Uint8Array[]) {
    this.#stride = stride;
    this.#pieces = pieces;
  }

  /** Reads the whole file, comparing its checksum. */
  static async open(folder: IndexFolder, stride: number): Promise<MemoryCodes> {
    const file = await RandomAccessFile.open(folder.file(CODES_FILE));
    const pieces: Uint8Array[] = [];
    let checksum = 0;
    try {
      const pieceBytes = recordsPerPiece(stride) * stride;
      for (let start = 0; start < file.size; start += pieceBytes) {
        const piece = new Uint8Array(Math.min(pieceBytes, file.size - start));
        await file.readInto(piece, start);
        checksum = crc32(piece, checksum);
        pieces.push(piece);
      }
    } finally {
      await file.close();
    }
    folder.expectChecksum(CODES_FILE, checksum);
    return new MemoryCodes(stride, pieces);
  }

  load(first: number, records: number, target: Uint8Array): void {
    const perPiece = recordsPerPiece(this.#stride);
    for (let done = 0; done < records; ) {
      const start = (first + done) % perPiece;
      const some = Math.min(records - done, perPiece - start);
      const piece = this.#pieces[Math.floor((first + done) / perPiece)];
      target.set(piece.subarray(start * this.#stride, (start + some) * this.#stride), done * this.#stride);
      done += some;
    }
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    yield* this.#pieces;
  }

  async close(): Promise<void> {}
}

/** Records left in their file: searches read what they look at. */
export async function codesOnDisk(folder: IndexFolder, stride: number): Promise<CodeStore> {
  const handle = await open(folder.file(CODES_FILE), 'r');
  const { size } = await handle.stat();
  const blockBytes = checkedBytes(stride);
  const checked = new Set<number>();
  const read = (target: Uint8Array, position: number): void => {
    for (let filled = 0; filled < target.length; ) {
      const bytes = readSync(handle.fd, target, filled, target.length - filled, position + filled);
      if (bytes === 0) throw folder.damaged(CODES_FILE, 'the file is cut off');
      filled += bytes;
    }
  };
  const check = (block: number): void => {
    if (checked.has(block)) return;
    const bytes = new Uint8Array(Math.min(blockBytes, size - block * blockBytes));
    read(bytes, block * blockBytes);
    folder.expectBlock(CODES_FILE, blockBytes, block, crc32(bytes));
    checked.add(block);
  };
  return {
    load(first, records, target) {
      const [start, end] = [first * stride, (first + records) * stride];
      for (let block = Math.floor(start / blockBytes); block * blockBytes < end; block++) check(block);
      read(target.subarray(0, end - start), start);
    },
    async *pieces() {
      for (let start = 0; start < size; start += blockBytes) {
        const bytes = new Uint8Array(Math.min(blockBytes, size - start));
        read(bytes, start);
        yield bytes;
      }
    },
    close: () => handle.close(),
  };
}
