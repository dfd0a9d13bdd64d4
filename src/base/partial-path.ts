import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Names that start like this are unfinished work; readers ignore them and writers may delete them. */
export const PARTIAL_PREFIX = '.partial-';

/** A name beside a path that nobody else uses. */
export function partialPath(path: string): string {
  return join(dirname(path), `${PARTIAL_PREFIX}${basename(path)}-${randomBytes(4).toString('hex')}`);
}
