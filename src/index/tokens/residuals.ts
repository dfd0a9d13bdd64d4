import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { RandomAccessFile } from '../../base/random-access-file.js';
import type { IndexFolder } from '../vectors/index-folder.js';

/** What tokens differ from their centroids by, wherever it is kept. */
export interface Residuals {
  /** The bytes from `start` to `end`: a view, valid until the next call. */
  bytes(start: number, end: number): Uint8Array | Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Files up to so many bytes are read into memory, unless it is said otherwise; of larger ones, blocks are kept. */
const MOST_IN_MEMORY = 2 ** 30;

/** Bytes that are read, checked and kept together. */
export const RESIDUAL_BLOCK = 128 * 2 ** 10;
/** Memory for blocks of a file that stays on disk. */
const CACHE_BYTES = 128 * 2 ** 20;

/** Opens the residuals of an index: in memory up to {@link MOST_IN_MEMORY}, or as `access` says. */
export async function openResiduals(
  folder: IndexFolder,
  name: string,
  {
    bytes,
    access = bytes > MOST_IN_MEMORY ? 'disk' : 'memory',
  }: { bytes: number; access?: 'memory' | 'disk' },
): Promise<Residuals> {
  if (access === 'disk') return FileResiduals.open(folder, name);
  const content = await readFile(folder.file(name));
  folder.expectChecksum(name, crc32(content));
  return { bytes: (start, end) => content.subarray(start, end), close: async () => undefined };
}

/** Residuals in their file. Blocks are checked when they are first read; those used last stay in memory. */
class FileResiduals implements Residuals {
  readonly #folder: IndexFolder;
  readonly #name: string;
  readonly #file: RandomAccessFile;
  readonly #blocks = new LRUCache<number, Promise<Uint8Array>>({ max: CACHE_BYTES / RESIDUAL_BLOCK });

  private constructor(folder: IndexFolder, name: string, file: RandomAccessFile) {
    this.#folder = folder;
    this.#name = name;
    this.#file = file;
  }

  static async open(folder: IndexFolder, name: string): Promise<FileResiduals> {
    return new FileResiduals(folder, name, await RandomAccessFile.open(folder.file(name)));
  }

  async bytes(start: number, end: number): Promise<Uint8Array> {
    const [first, last] = [Math.floor(start / RESIDUAL_BLOCK), Math.floor((end - 1) / RESIDUAL_BLOCK)];
    if (first === last) {
      const from = first * RESIDUAL_BLOCK;
      return (await this.#block(first)).subarray(start - from, end - from);
    }
    const joined = new Uint8Array(end - start);
    for (let block = first; block <= last; block++) {
      const from = block * RESIDUAL_BLOCK;
      const part = (await this.#block(block)).subarray(Math.max(0, start - from), end - from);
      joined.set(part, Math.max(0, from - start));
    }
    return joined;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #block(block: number): Promise<Uint8Array> {
    let reading = this.#blocks.get(block);
    if (!reading) {
      reading = this.#read(block);
      this.#blocks.set(block, reading);
      // What failed is tried again.
      reading.catch(() => this.#blocks.delete(block));
    }
    return reading;
  }

  async #read(block: number): Promise<Uint8Array> {
    const from = block * RESIDUAL_BLOCK;
    const target = new Uint8Array(Math.min(RESIDUAL_BLOCK, this.#file.size - from));
    await this.#file.readInto(target, from);
    this.#folder.expectBlock(this.#name, RESIDUAL_BLOCK, block, crc32(target));
    return target;
  }
}
