import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { READ_ONLY_CACHE } from '../../base/folders/cache-folder.js';
import { withWriteLock } from '../../base/lock/write-lock.js';

export interface KeptFolder<T> {
  folder: string;
  /** Of its name and of those of former states, which are removed when it is made. */
  prefix: string;
  make(): Promise<void>;
  open(): Promise<T>;
  onNote?: (note: string) => void;
  /** Ends the waiting for another process that makes it. */
  signal?: AbortSignal;
}

/**
 * Opens what a cache keeps in a folder; where it is missing or damaged, it is made first, in one process at a time.
 *
 * @param mayMake asked before it is made, or another process that makes it is waited for; undefined comes of a no
 */
export async function openKept<T>(kept: KeptFolder<T>): Promise<T>;
export async function openKept<T>(
  kept: KeptFolder<T>,
  mayMake: () => Promise<boolean>,
): Promise<T | undefined>;
export async function openKept<T>(
  kept: KeptFolder<T>,
  mayMake?: () => Promise<boolean>,
): Promise<T | undefined> {
  const { folder, prefix, make, open, onNote, signal } = kept;
  if (await exists(folder)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof NearmissError)) throw error;
      onNote?.(`${error.message}; it is damaged and made again`);
    }
  }
  if (mayMake && !(await mayMake())) return undefined;
  const work = async (): Promise<T> => {
    // Another process may have been faster.
    const made = (await exists(folder)) ? await open().catch(() => undefined) : undefined;
    if (made !== undefined) return made;
    await rm(folder, { recursive: true, force: true });
    await make();
    const opened = await open();
    await removeFormer(folder, prefix);
    return opened;
  };
  return withWriteLock(`${folder}.lock`, READ_ONLY_CACHE, work, { onWait: onNote, signal });
}

async function removeFormer(folder: string, prefix: string): Promise<void> {
  const parent = join(folder, '..');
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (name.startsWith(prefix) && path !== folder && !name.endsWith('.lock')) {
      await rm(path, { recursive: true, force: true });
    }
  }
}
