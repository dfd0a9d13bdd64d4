import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

export interface BlockFileOptions {
  blockBytes: number;
  /** The CRC-32 of each block. */
  checksums: Uint32Array;
  /** Bytes of blocks kept in memory at most. */
  cacheBytes: number;
  /** Makes the error for a block that is not what it was when written. */
  damaged: (block: number) => Error;
}

/**
 * Reads a file block by block and keeps the blocks used last, so that a file larger than memory can be read at
 * random places. Each block is checked against its checksum when it comes from disk.
 */
export class BlockFile {
  readonly #handle: FileHandle;
  readonly #options: BlockFileOptions;
  /** In the order of their last use. */
  readonly #kept = new Map<number, Uint8Array<ArrayBuffer>>();
  readonly #loading = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();

  private constructor(handle: FileHandle, options: BlockFileOptions) {
    this.#handle = handle;
    this.#options = options;
  }

  static async open(path: string, options: BlockFileOptions): Promise<BlockFile> {
    return new BlockFile(await open(path, 'r'), options);
  }

  /** The block if it is in memory. */
  kept(block: number): Uint8Array<ArrayBuffer> | undefined {
    const bytes = this.#kept.get(block);
    if (bytes) {
      this.#kept.delete(block);
      this.#kept.set(block, bytes);
    }
    return bytes;
  }

  /** The block, from memory or disk; the last one may be shorter than the others. */
  async block(block: number): Promise<Uint8Array<ArrayBuffer>> {
    const kept = this.kept(block);
    if (kept) return kept;
    let loading = this.#loading.get(block);
    if (!loading) {
      loading = this.#load(block).finally(() => this.#loading.delete(block));
      this.#loading.set(block, loading);
    }
    return loading;
  }

  async close(): Promise<void> {
    this.#kept.clear();
    await this.#handle.close();
  }

  async #load(block: number): Promise<Uint8Array<ArrayBuffer>> {
    const { blockBytes, cacheBytes, checksums, damaged } = this.#options;
    const buffer = new Uint8Array(blockBytes);
    const { bytesRead } = await this.#handle.read(buffer, 0, blockBytes, block * blockBytes);
    const bytes = buffer.subarray(0, bytesRead);
    if (crc32(bytes) !== checksums[block]) throw damaged(block);
    this.#kept.set(block, bytes);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size * blockBytes <= cacheBytes || oldest === block) break;
      this.#kept.delete(oldest);
    }
    return bytes;
  }
}
