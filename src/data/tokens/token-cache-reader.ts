import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileCheck } from '../../base/checked-file.js';
import { hasCode } from '../../base/errors.js';
import type { TokenBatch } from '../../text/token-batch.js';
import { IdTable } from '../id-table.js';
import { BlockFile } from './block-file.js';
import {
  BLOCK_BYTES,
  CACHE_FILES,
  DamagedCacheError,
  parseMeta,
  type TokenCacheMeta,
  tokenBytes,
} from './token-cache-files.js';

/** Memory for tokens unless told otherwise; smaller collections stay in it as a whole. */
const DEFAULT_CACHE_BYTES = 256 << 20;

/**
 * The tokens of a collection, read from disk. Texts are numbered from 0 in the order in which they came; ids and
 * lengths are in memory, tokens only as far as `cacheBytes` allows. Close it after use.
 *
 * @example
 * const cache = await openTokenCache({ source, tokenizer, maxLength: 256, directory: 'run/cache' });
 * const { ids, offsets } = await cache.batch([3, 1, 4]);
 * await cache.close();
 */
export class TokenCache {
  /** The folder it lies in. */
  readonly directory: string;
  readonly meta: TokenCacheMeta;
  readonly #ids: IdTable;
  readonly #offsets: Float64Array;
  readonly #tokens: BlockFile;

  private constructor(directory: string, meta: TokenCacheMeta, parts: CacheParts) {
    this.directory = directory;
    this.meta = meta;
    this.#ids = parts.ids;
    this.#offsets = parts.offsets;
    this.#tokens = parts.tokens;
  }

  /** Opens a finished cache. Throws {@link DamagedCacheError} if a file is missing, cut off or altered. */
  static async open(directory: string, options: { cacheBytes?: number } = {}): Promise<TokenCache> {
    try {
      const meta = parseMeta(await readFile(join(directory, CACHE_FILES.meta), 'utf8'), directory);
      return new TokenCache(directory, meta, await openParts(directory, meta, options.cacheBytes));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) throw new DamagedCacheError(directory, 'a file is missing');
      throw error;
    }
  }

  /** How many texts there are. */
  get count(): number {
    return this.meta.count;
  }

  /** How many tokens all texts have together. */
  get tokenCount(): number {
    return this.meta.tokenCount;
  }

  /** The ids of all texts, by number. */
  get idTable(): IdTable {
    return this.#ids;
  }

  /** The id of a text. */
  id(index: number): string {
    return this.#ids.idAt(index);
  }

  /** The number of the text with this id, or −1. */
  indexOf(id: string): number {
    return this.#ids.indexOf(id);
  }

  /** How many tokens a text has, without reading them. */
  length(index: number): number {
    this.#check(index);
    return this.#offsets[index + 1] - this.#offsets[index];
  }

  /** The tokens of one text; for several, {@link TokenCache.batch} and {@link TokenCache.range} are faster. */
  async tokensOf(index: number): Promise<Int32Array> {
    return (await this.batch([index])).ids;
  }

  /** The tokens of some texts, in the order asked for. */
  async batch(indexes: ArrayLike<number>): Promise<TokenBatch> {
    const offsets = new Uint32Array(indexes.length + 1);
    for (let i = 0; i < indexes.length; i++) offsets[i + 1] = offsets[i] + this.length(indexes[i]);
    const ids = new Int32Array(offsets[indexes.length]);
    for (let i = 0; i < indexes.length; i++) {
      await this.#copy(this.#offsets[indexes[i]], ids.subarray(offsets[i], offsets[i + 1]));
    }
    return { ids, offsets };
  }

  /** The tokens of texts `start … end - 1`. */
  async range(start: number, end: number): Promise<TokenBatch> {
    if (!(start >= 0 && start <= end && end <= this.count)) {
      throw new RangeError(`no texts ${start} to ${end} among ${this.count}`);
    }
    const first = this.#offsets[start];
    const offsets = Uint32Array.from(this.#offsets.subarray(start, end + 1), (offset) => offset - first);
    const ids = new Int32Array(offsets[end - start]);
    await this.#copy(first, ids);
    return { ids, offsets };
  }

  /** Reads every block to see that it is what was written. */
  async verify(): Promise<void> {
    const bytes = this.tokenCount * tokenBytes(this.meta.tokenType);
    for (let block = 0; block * BLOCK_BYTES < bytes; block++) await this.#tokens.block(block);
  }

  async close(): Promise<void> {
    await this.#tokens.close();
  }

  /** Fills `target` with the tokens from position `start` on. */
  async #copy(start: number, target: Int32Array): Promise<void> {
    const perBlock = BLOCK_BYTES / tokenBytes(this.meta.tokenType);
    for (let done = 0; done < target.length; ) {
      const block = Math.floor((start + done) / perBlock);
      const bytes = this.#tokens.kept(block) ?? (await this.#tokens.block(block));
      const tokens =
        this.meta.tokenType === 'uint16' ? new Uint16Array(bytes.buffer) : new Int32Array(bytes.buffer);
      const from = start + done - block * perBlock;
      const part = tokens.subarray(from, from + target.length - done);
      target.set(part, done);
      done += part.length;
    }
  }

  #check(index: number): void {
    if (!(index >= 0 && index < this.count)) throw new RangeError(`no text ${index} among ${this.count}`);
  }
}

interface CacheParts {
  ids: IdTable;
  offsets: Float64Array;
  tokens: BlockFile;
}

async function openParts(directory: string, meta: TokenCacheMeta, cacheBytes?: number): Promise<CacheParts> {
  const tokensPath = join(directory, CACHE_FILES.tokens);
  const expected = meta.tokenCount * tokenBytes(meta.tokenType);
  const { size } = await stat(tokensPath);
  if (size !== expected) {
    throw new DamagedCacheError(directory, `${CACHE_FILES.tokens}: expected ${expected} bytes, got ${size}`);
  }
  const read = (name: string, check: FileCheck) => readChecked(directory, name, check);
  const offsets = await read(CACHE_FILES.offsets, meta.offsets);
  const blocks = await read(CACHE_FILES.blocks, meta.blocks);
  const ids = new IdTable();
  for (const line of lines(await read(CACHE_FILES.ids, meta.ids))) ids.add(JSON.parse(line));
  return {
    ids,
    offsets: new Float64Array(offsets.buffer),
    tokens: await BlockFile.open(tokensPath, {
      blockBytes: BLOCK_BYTES,
      checksums: new Uint32Array(blocks.buffer),
      cacheBytes: cacheBytes ?? DEFAULT_CACHE_BYTES,
      damaged: (block) =>
        new DamagedCacheError(directory, `${CACHE_FILES.tokens}: block ${block} was altered`),
    }),
  };
}

async function readChecked(
  directory: string,
  name: string,
  check: FileCheck,
): Promise<Uint8Array<ArrayBuffer>> {
  // A copy of its own, aligned for every number type.
  const bytes = new Uint8Array(await readFile(join(directory, name)));
  if (bytes.length !== check.bytes) {
    throw new DamagedCacheError(directory, `${name}: expected ${check.bytes} bytes, got ${bytes.length}`);
  }
  if (crc32(bytes) !== check.crc32) throw new DamagedCacheError(directory, `${name}: was altered`);
  return bytes;
}

function* lines(bytes: Uint8Array): Generator<string> {
  const buffer = Buffer.from(bytes.buffer);
  for (let start = 0; start < buffer.length; ) {
    const end = buffer.indexOf(0x0a, start);
    yield buffer.toString('utf8', start, end);
    start = end + 1;
  }
}
