import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, NearmissError } from './errors.js';
import { clearAbandoned } from './folders/abandoned.js';
import { checkContents, type FolderContents } from './folders/folder-contents.js';
import { makeDirectory } from './folders/make-directory.js';
import { replaceDirectory } from './folders/replace-directory.js';
import { partialPath } from './partial-path.js';

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
      await makeDirectory(dirname(path));
      await clearAbandoned(dirname(path));
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

export interface WriteDirectoryOptions {
  /**
   * What may be replaced where the place is taken: a folder with such contents and nothing else; or `anything`, for
   * places that nothing but nearmiss writes to. Without it, nothing.
   */
  replaces?: FolderContents | 'anything';
}

/**
 * Builds a directory beside its place and renames it when `fill` has finished, so that whoever sees the
 * final name sees all of it. An existing directory of that name is an error unless it may be replaced.
 */
export async function writeDirectoryAtomic(
  path: string,
  fill: (temporary: string) => Promise<void>,
  { replaces }: WriteDirectoryOptions = {},
): Promise<void> {
  // A link stays one: what it points to is replaced.
  const place = await realpath(path).catch(() => path);
  await clearAbandoned(dirname(place));
  if (!replaces && (await exists(path))) {
    throw new NearmissError(`${path}: already exists`, {
      hint: 'choose another folder, or pass --overwrite',
    });
  }
  const check = async (): Promise<void> => {
    if (replaces && replaces !== 'anything') await checkContents(path, replaces);
  };
  await check();
  const partial = partialPath(place);
  try {
    await makeDirectory(partial);
    await fill(partial);
    await syncDirectory(partial);
    // Somebody may have put something there meanwhile.
    await check();
    if (replaces) await replaceDirectory(partial, place);
    else await rename(partial, place);
    await syncDirectory(dirname(place));
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

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The system does not let something be written. */
export class UnwritableError extends NearmissError {}

export function unwritable(
  path: string,
  error: unknown,
  hint = 'choose a folder you may write to',
): UnwritableError {
  const reason = error instanceof Error ? error.message : String(error);
  const full = 'the disk is full: free some space; nothing half-written was left behind';
  return new UnwritableError(`${path}: cannot write: ${reason}`, {
    hint: hasCode(error, 'ENOSPC') ? full : hint,
    cause: error,
  });
}

/** For a `catch`: tells what to do where something cannot be written, better than the writer knows it. */
export function adviseWriter(hint: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof UnwritableError) || hasCode(error.cause, 'ENOSPC')) throw error;
    throw new UnwritableError(error.message, { hint, cause: error.cause });
  };
}
