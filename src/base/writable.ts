import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { exists, unwritable } from './files.js';

/** Refuses a folder that cannot be written to, or not be made, before work is done that would be for nothing. */
export async function requireWritable(folder: string, hint: string): Promise<void> {
  let parent = resolve(folder);
  while (!(await exists(parent))) parent = dirname(parent);
  // With a separator at its end a file is no answer.
  await access(`${parent}${sep}`, constants.W_OK).catch((error) => {
    throw unwritable(folder, error, hint);
  });
}

export async function isWritable(folder: string): Promise<boolean> {
  return requireWritable(folder, '').then(
    () => true,
    () => false,
  );
}
