import { mkdtemp, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exists, unwritable } from './files.js';
import { PARTIAL_PREFIX } from './partial-path.js';

/**
 * Refuses a folder that cannot be written to, or not be made, before work is done that would be for nothing. It tries:
 * what the system says of permissions is not all that it goes by.
 */
export async function requireWritable(folder: string, hint: string): Promise<void> {
  let parent = resolve(folder);
  while (!(await exists(parent))) parent = dirname(parent);
  try {
    await rmdir(await mkdtemp(join(parent, `${PARTIAL_PREFIX}probe-`)));
  } catch (error) {
    throw unwritable(folder, error, hint);
  }
}

export async function isWritable(folder: string): Promise<boolean> {
  return requireWritable(folder, '').then(
    () => true,
    () => false,
  );
}
