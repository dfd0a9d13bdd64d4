import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasCode } from '../errors.js';
import { PARTIAL_PREFIX, parsePartial } from '../partial-path.js';
import { BESIDE_FOLDER } from './cache-folder.js';

/** Work of which nobody here knows whose it is was given up if nothing in it has changed for so long. */
const STILL_MS = 24 * 3_600_000;

const cleared = new Set<string>();

/**
 * Removes the unfinished work in a folder whose process is gone: what a kill or a power cut left. Whoever writes into a
 * folder looks once. A folder that was being replaced by another at that moment gets its new content, which was whole.
 */
export async function clearAbandoned(folder: string): Promise<void> {
  const place = resolve(folder);
  if (cleared.has(place)) return;
  cleared.add(place);
  await finishAbandoned(place);
}

/** The same, however often it was looked: for whoever misses a folder that may have been about to be replaced. */
export async function finishAbandoned(place: string): Promise<void> {
  const names = await readdir(place).catch(() => []);
  const unfinished = names.filter((name) => name.startsWith(PARTIAL_PREFIX));
  // First those that were moved aside: their successors are unfinished only by name.
  const isAside = (name: string): boolean => parsePartial(name)?.successor !== undefined;
  for (const name of [...unfinished.filter(isAside), ...unfinished.filter((other) => !isAside(other))]) {
    await clear(place, name).catch(() => undefined);
  }
}

/** The same for all folders in a folder that is ours alone, such as a run. */
export async function clearAbandonedBelow(folder: string): Promise<void> {
  await clearAbandoned(folder);
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory() && !entry.name.startsWith(PARTIAL_PREFIX)) {
      await clearAbandonedBelow(join(folder, entry.name));
    }
  }
}

async function clear(folder: string, name: string): Promise<void> {
  const partial = parsePartial(name);
  if (!partial || partial.owner === 'alive') return;
  const path = join(folder, name);
  if (partial.owner === 'unknown' && Date.now() - (await changedAt(path)) < STILL_MS) return;
  if (partial.successor !== undefined) {
    await finishReplacing(join(folder, partial.target), {
      old: path,
      successor: join(folder, partial.successor),
    });
  }
  await rm(path, { recursive: true, force: true });
}

/** Does what `replaceDirectory` had left to do. */
async function finishReplacing(
  target: string,
  { old, successor }: { old: string; successor: string },
): Promise<void> {
  const isThere = await stat(target).then(
    () => true,
    () => false,
  );
  await moved(join(old, BESIDE_FOLDER), join(isThere ? target : successor, BESIDE_FOLDER));
  if (!isThere && !(await moved(successor, target))) await rename(old, target);
}

/** Renames what there is; says whether there was anything. */
export async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** When a file, or anything in a folder, was last changed. */
async function changedAt(path: string): Promise<number> {
  const { mtimeMs } = await stat(path);
  const inside = await readdir(path, { recursive: true }).catch(() => []);
  const times = inside.map((name) =>
    stat(join(path, name)).then(
      (info) => info.mtimeMs,
      () => 0,
    ),
  );
  return Math.max(mtimeMs, ...(await Promise.all(times)));
}
