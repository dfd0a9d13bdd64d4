import { createHash } from 'node:crypto';
import { mkdir, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exists } from '../../base/files.js';
import { besideFolder } from '../../base/folders/cache-folder.js';
import { isWritable } from '../../base/folders/writable.js';
import { judgmentsFolder } from '../../data/judged/judged-split.js';

/**
 * Where a server keeps its judgments: with the collection, whose split they are, in a log of its own, since several
 * servers may have the collection and each its `state`. With the state where there is no collection, or none that can be
 * written to; then they are exported and not a split.
 */
export async function judgmentsPlace(state: string, collection: string | undefined): Promise<string> {
  const apart = join(state, 'judgments');
  if (collection === undefined || !(await isWritable(collection))) return join(apart, 'here');
  const own = resolve(state).startsWith(await besideFolder(resolve(collection)));
  const key = own
    ? 'live'
    : `state-${createHash('sha256').update(resolve(state)).digest('hex').slice(0, 12)}`;
  const place = join(await judgmentsFolder(resolve(collection)), key);
  // Earlier versions kept them with the state.
  if ((await exists(join(apart, 'mark.json'))) && !(await exists(place))) {
    await mkdir(dirname(place), { recursive: true });
    await rename(apart, place);
  }
  return place;
}
