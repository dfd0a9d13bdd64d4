import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what was downloaded or computed once is kept for this user: `$NEARMISS_CACHE` or `~/.cache/nearmiss`. */
export function cacheFolder(): string {
  return process.env.NEARMISS_CACHE || join(homedir(), '.cache', 'nearmiss');
}
