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
}

/** Opens what a cache keeps in a folder; where it is missing or damaged, it is made first, in one process at a time. */
export async function openKept<T>(kept: KeptFolder<T>): Promise<T> {
  const { folder, prefix, make, open, onNote } = kept;
  if (await exists(folder)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof NearmissError)) throw error;
      onNote?.(`${error.message}; it is damaged and made again`);
    }
  }
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
  return withWriteLock(`${folder}.lock`, READ_ONLY_CACHE, work, { onWait: onNote });
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
