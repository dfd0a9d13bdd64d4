import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exists, unwritable } from '../files.js';
import { partialPath } from '../partial-path.js';

/**
 * Refuses a folder that cannot be written to, or not be made, before work is done that would be for nothing. It tries:
 * what the system says of permissions is not all that it goes by.
 */
export async function requireWritable(folder: string, hint: string): Promise<void> {
  let parent = resolve(folder);
  while (!(await exists(parent))) parent = dirname(parent);
  try {
    const probe = partialPath(join(parent, 'probe'));
    await mkdir(probe);
    await rmdir(probe);
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
