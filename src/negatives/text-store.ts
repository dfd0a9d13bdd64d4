import { closeSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { AtomicFile } from '../base/files.js';

const WRITE_BYTES = 1 << 20;
const TEXTS_FILE = 'texts';

/**
 * Texts by number, kept in a temporary file: rules look at documents in the order of rankings, and a collection may
 * be larger than memory. Eight bytes a text stay in memory.
 */
export class TextStore {
  readonly #folder: string;
  readonly #descriptor: number;
  readonly #offsets: Float64Array;
  #buffer = Buffer.alloc(1 << 12);

  private constructor(folder: string, path: string, offsets: Float64Array) {
    this.#folder = folder;
    this.#descriptor = openSync(path, 'r');
    this.#offsets = offsets;
  }

  static async create(texts: AsyncIterable<string>): Promise<TextStore> {
    const folder = await mkdtemp(join(tmpdir(), 'nearmiss-texts-'));
    const path = join(folder, TEXTS_FILE);
    try {
      return new TextStore(folder, path, await writeTexts(path, texts));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  get size(): number {
    return this.#offsets.length - 1;
  }

  /** The text of a number; can be passed on without its object. */
  readonly get = (number: number): string => {
    const start = this.#offsets[number];
    const length = this.#offsets[number + 1] - start;
    if (this.#buffer.length < length) this.#buffer = Buffer.alloc(2 * length);
    let filled = 0;
    while (filled < length) {
      const read = readSync(this.#descriptor, this.#buffer, filled, length - filled, start + filled);
      if (read === 0) throw cutOff(join(this.#folder, TEXTS_FILE));
      filled += read;
    }
    return this.#buffer.toString('utf8', 0, length);
  };

  /** Removes the file. */
  async close(): Promise<void> {
    closeSync(this.#descriptor);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function cutOff(path: string): NearmissError {
  return new NearmissError(`${path}: the file was cut off while it was in use`, {
    hint: 'run the same command again; does something clean up the folder for temporary files (TMPDIR)?',
  });
}

async function writeTexts(path: string, texts: AsyncIterable<string>): Promise<Float64Array> {
  const file = await AtomicFile.create(path);
  const offsets = [0];
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const flush = async (): Promise<void> => {
    await file.write(Buffer.concat(pending));
    pending = [];
    pendingBytes = 0;
  };
  try {
    for await (const text of texts) {
      const bytes = Buffer.from(text);
      pending.push(bytes);
      pendingBytes += bytes.length;
      offsets.push(offsets[offsets.length - 1] + bytes.length);
      if (pendingBytes >= WRITE_BYTES) await flush();
    }
    await flush();
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
  return Float64Array.from(offsets);
}
