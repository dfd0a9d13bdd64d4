import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../base/errors.js';
import { type RunDirectory, START_FOLDER } from '../run-directory.js';

/** Smaller files are not worth a look. */
const LEAST_BYTES = 1 << 20;
const FOLDERS = [START_FOLDER, 'checkpoints', 'resume', 'best'];
/** Where a file system knows no links, or not between these folders, the files stay as they are. */
const NO_LINKS = ['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'];

/**
 * Keeps the models of finished runs that are the same bytes once: the start, the first checkpoint and the best model are often
 * one, and so are the starts of runs that are compared. Nothing writes into such a file: whoever changes one puts another in its
 * place.
 */
export async function shareModels(...runs: readonly RunDirectory[]): Promise<void> {
  const bySize = new Map<number, string[]>();
  for (const folder of runs.flatMap((run) => FOLDERS.map((name) => run.file(name)))) {
    for await (const { path, size } of largeFiles(folder))
      bySize.set(size, [...(bySize.get(size) ?? []), path]);
  }
  for (const paths of bySize.values()) {
    if (paths.length > 1) await shareEqual(paths);
  }
}

async function shareEqual(paths: readonly string[]): Promise<void> {
  const first = new Map<string, string>();
  for (const path of paths) {
    const hash = await hashOf(path);
    const same = first.get(hash);
    if (same === undefined) first.set(hash, path);
    else if (!(await replaceByLink(path, same))) return;
  }
}

/** Puts a link to an equal file in the place of one; never is neither there. */
async function replaceByLink(path: string, same: string): Promise<boolean> {
  const [own, other] = [await stat(path), await stat(same)];
  if (own.dev === other.dev && own.ino === other.ino) return true;
  const beside = `${path}.partial-link`;
  try {
    await rm(beside, { force: true });
    await link(same, beside);
    await rename(beside, path);
    return true;
  } catch (error) {
    if (NO_LINKS.some((code) => hasCode(error, code))) return false;
    throw error;
  }
}

async function* largeFiles(folder: string): AsyncGenerator<{ path: string; size: number }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* largeFiles(path);
    else if (entry.isFile()) {
      const { size } = await stat(path);
      if (size >= LEAST_BYTES) yield { path, size };
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
