import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../errors.js';
import { asidePath } from '../partial-path.js';
import { moved } from './abandoned.js';
import { BESIDE_FOLDER } from './cache-folder.js';

/**
 * Puts a folder in another's place. What is kept beside the old one's files goes over by its name alone, so that a server
 * that has it open goes on writing to the same files. What a kill leaves half done, `clearAbandoned` does.
 *
 * @param from a path of `partialPath`
 */
export async function replaceDirectory(from: string, to: string): Promise<void> {
  const old = asidePath(from);
  if (!(await moved(to, old))) return rename(from, to);
  try {
    const keeps = await moved(join(old, BESIDE_FOLDER), join(from, BESIDE_FOLDER));
    await rename(from, to).catch(async (error) => {
      if (keeps) await rename(join(from, BESIDE_FOLDER), join(old, BESIDE_FOLDER));
      throw error;
    });
  } catch (error) {
    await rename(old, to).catch(() => {
      throw new NearmissError(`${to}: cannot be replaced: ${(error as Error).message}`, {
        hint: `what was there before is in ${old}: give it its name again`,
        cause: error,
      });
    });
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}
