import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { hasCode, NearmissError } from '../../../base/errors.js';
import { AtomicFile } from '../../../base/files.js';
import { bytesOf } from '../../../base/numbers/bytes-of.js';
import type { EncodedTexts } from '../encoded-texts.js';

/**
 * How many texts, how many numbers in a row, and the CRC-32 of what follows: offsets and rows. All of it is 32 bits
 * wide.
 */
const HEADER_BYTES = 12;
const WIDTH = 4;

/**
 * Where the finished shards of a pass over a collection are kept until the whole is done, so that a pass that was
 * killed goes on. One folder is for one model and one collection.
 */
export class ShardFolder {
  readonly path: string;
  readonly #dimension: number;

  constructor(path: string, { dimension }: { dimension: number }) {
    this.path = path;
    this.#dimension = dimension;
  }

  /** A finished shard, where it has that many texts. */
  async find(shard: number, texts: number): Promise<EncodedTexts | undefined> {
    const content = await readFile(this.#file(shard)).catch((error) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    return content && decodeShard(content, { texts, dimension: this.#dimension });
  }

  /** A shard that was finished before. */
  async read(shard: number, texts: number): Promise<EncodedTexts> {
    const found = await this.find(shard, texts);
    if (found) return found;
    throw new NearmissError(`${this.#file(shard)}: gone or changed while it was needed`, {
      hint: 'run it again: what is there is found again',
    });
  }

  async add(shard: number, { vectors, offsets }: EncodedTexts): Promise<void> {
    const file = await AtomicFile.create(this.#file(shard));
    try {
      const checksum = crc32(bytesOf(vectors), crc32(bytesOf(offsets)));
      for (const part of [Uint32Array.of(offsets.length - 1, this.#dimension, checksum), offsets, vectors]) {
        await file.write(bytesOf(part));
      }
      await file.commit();
    } catch (error) {
      await file.abort();
      throw error;
    }
  }

  /** Forgets all shards. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }

  #file(shard: number): string {
    return join(this.path, `shard-${String(shard).padStart(5, '0')}.rows`);
  }
}

/** What a file holds; nothing where it is of other texts or of another model, or damaged. */
function decodeShard(
  content: Buffer,
  { texts, dimension }: { texts: number; dimension: number },
): EncodedTexts | undefined {
  const rowsStart = HEADER_BYTES + (texts + 1) * WIDTH;
  // A copy that is aligned, as numbers have to be.
  const bytes = content.buffer.slice(content.byteOffset, content.byteOffset + content.length);
  if (bytes.byteLength < rowsStart || bytes.byteLength % WIDTH !== 0) return undefined;
  const header = new Uint32Array(bytes, 0, HEADER_BYTES / WIDTH);
  if (header[0] !== texts || header[1] !== dimension) return undefined;
  if (header[2] !== crc32(new Uint8Array(bytes, HEADER_BYTES))) return undefined;
  const offsets = new Uint32Array(bytes, HEADER_BYTES, texts + 1);
  const vectors = new Float32Array(bytes, rowsStart);
  return vectors.length === offsets[texts] * dimension ? { vectors, offsets } : undefined;
}
