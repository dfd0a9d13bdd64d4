import { dirname } from 'node:path';
import { hasCode } from '../errors.js';
import { adviseWriter, unwritable } from '../files.js';
import { type WorkOptions, withFileLock } from './file-lock.js';

/** The last two: a part of the path is a file. */
const REFUSALS = ['EACCES', 'EROFS', 'EPERM', 'ENOTDIR', 'EEXIST'];

/**
 * Runs work that writes what is missing, in one process at a time. Where nothing may be written, nobody needs the lock:
 * the work does with what is there, and where that is not enough, `hint` says what to do.
 *
 * @param path the lock's file, in the folder that the work writes to
 */
export async function withWriteLock<T>(
  path: string,
  hint: string,
  work: () => Promise<T>,
  options: WorkOptions = {},
): Promise<T> {
  let isLocked = false;
  const locked = (): Promise<T> => {
    isLocked = true;
    return work();
  };
  try {
    return await withFileLock(path, locked, options);
  } catch (error) {
    if (isLocked) throw error;
    if (!isRefusal(error)) throw unwritable(path, error, hint);
  }
  return work()
    .catch((error) => {
      throw isRefusal(error) ? unwritable(dirname(path), error) : error;
    })
    .catch(adviseWriter(hint));
}

function isRefusal(error: unknown): boolean {
  return REFUSALS.some((code) => hasCode(error, code));
}
