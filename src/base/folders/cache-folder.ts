import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Where what was downloaded or computed once is kept for this user: `$NEARMISS_CACHE` or `~/.cache/nearmiss`. */
export function cacheFolder(): string {
  return process.env.NEARMISS_CACHE || join(homedir(), '.cache', 'nearmiss');
}

/** What to do where what a search needs cannot be kept anywhere. */
export const READ_ONLY_CACHE =
  'what a search needs is made once and kept: name a folder you may write to with NEARMISS_CACHE (nearmiss search: or --cache)';

/**
 * What is kept in the folder it belongs to: what a search made of a collection, and the documents added to it while it
 * was served, which are nowhere else. It outlives the rest of the folder when that is written anew.
 */
export const BESIDE_FOLDER = '.nearmiss';

/** Where that is for a folder, or for a file: in the folder that it is in. */
export async function besideFolder(path: string): Promise<string> {
  const isFolder = (await stat(path)).isDirectory();
  return isFolder ? join(path, BESIDE_FOLDER) : join(dirname(path), BESIDE_FOLDER, basename(path));
}
