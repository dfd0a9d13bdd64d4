import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode, NearmissError } from './errors.js';

/** Names that start like this are unfinished work; readers ignore them and writers may delete them. */
export const PARTIAL_PREFIX = '.partial-';

/**
 * Writes a file so that it appears complete or not at all: beside its place, fsync, rename.
 *
 * @example
 * await writeFileAtomic('run/state.json', JSON.stringify({ step: 300 }));
 */
export async function writeFileAtomic(path: string, content: string | Uint8Array): Promise<void> {
  const file = await AtomicFile.create(path);
  try {
    await file.write(content);
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** A file written in pieces that gets its name only when {@link AtomicFile.commit} succeeds. */
export class AtomicFile {
  readonly path: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  #position = 0;

  private constructor(path: string, partial: string, handle: FileHandle) {
    this.path = path;
    this.#partial = partial;
    this.#handle = handle;
  }

  static async create(path: string): Promise<AtomicFile> {
    const partial = partialPath(path);
    try {
      await mkdir(dirname(path), { recursive: true });
      return new AtomicFile(path, partial, await open(partial, 'w'));
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Bytes written so far. */
  get position(): number {
    return this.#position;
  }

  async write(content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    let written = 0;
    try {
      while (written < bytes.length) {
        const result = await this.#handle.write(bytes, written, bytes.length - written);
        written += result.bytesWritten;
      }
    } catch (error) {
      throw unwritable(this.path, error);
    }
    this.#position += bytes.length;
  }

  /** Overwrites bytes already written, e.g. a header whose values are known only at the end. */
  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    try {
      await this.#handle.write(bytes, 0, bytes.length, offset);
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  async commit(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#partial, this.path);
      await syncDirectory(dirname(this.path));
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  async abort(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#partial, { force: true });
  }
}

/**
 * Builds a directory beside its place and renames it when `fill` has finished, so that whoever sees the
 * final name sees all of it. An existing directory of that name is an error unless `overwrite` is set.
 */
export async function writeDirectoryAtomic(
  path: string,
  fill: (temporary: string) => Promise<void>,
  options: { overwrite?: boolean } = {},
): Promise<void> {
  if (!options.overwrite && (await exists(path))) {
    throw new NearmissError(`${path}: already exists`, {
      hint: 'choose another folder, or pass --overwrite',
    });
  }
  const partial = partialPath(path);
  try {
    await mkdir(partial, { recursive: true });
    await fill(partial);
    await syncDirectory(partial);
    if (options.overwrite) await replaceDirectory(partial, path);
    else await rename(partial, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    // What failed is what to tell, not that there was nothing to clean up (e.g. the parent is a file).
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    // What `fill` itself got wrong is not a matter of writing.
    throw error instanceof Error && 'syscall' in error ? unwritable(path, error) : error;
  }
}

/** Removes a folder: others see it whole or not at all, and of several who try one does it. */
export async function removeDirectory(path: string): Promise<void> {
  const doomed = partialPath(path);
  try {
    await rename(path, doomed);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  await rm(doomed, { recursive: true, force: true });
}

async function replaceDirectory(from: string, to: string): Promise<void> {
  const old = partialPath(to);
  const hadOld = await rename(to, old).then(
    () => true,
    (error) => {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
  await rename(from, to);
  if (hadOld) await rm(old, { recursive: true, force: true });
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Reads a file's first bytes, fewer where the file is shorter. */
export async function readStart(path: string, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { start: 0, end: length - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function partialPath(path: string): string {
  return join(dirname(path), `${PARTIAL_PREFIX}${basename(path)}-${randomBytes(4).toString('hex')}`);
}

function unwritable(path: string, error: unknown): NearmissError {
  const reason = error instanceof Error ? error.message : String(error);
  const hint = hasCode(error, 'ENOSPC')
    ? 'the disk is full: free some space; nothing half-written was left behind'
    : 'choose a folder you may write to';
  return new NearmissError(`${path}: cannot write: ${reason}`, { hint, cause: error });
}
