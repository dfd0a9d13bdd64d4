import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from './errors.js';

const POLL_MS = 100;

/**
 * Runs `work` while no other process runs work under the same lock file. A lock whose process has died is
 * taken over.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  while (!(await tryLock(path))) {
    if (await isStale(path)) await rm(path, { force: true });
    else await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Takes a lock for as long as this process needs it, waiting up to `waitMs` for another one to let go. Gives the
 * function that releases it, or the number of the process that holds it.
 */
export async function holdFileLock(
  path: string,
  options: { waitMs?: number } = {},
): Promise<{ release: () => Promise<void> } | { heldBy: number }> {
  const deadline = Date.now() + (options.waitMs ?? 0);
  await mkdir(dirname(path), { recursive: true });
  while (!(await tryLock(path))) {
    if (await isStale(path)) await rm(path, { force: true });
    else if (Date.now() >= deadline) return { heldBy: await ownerOf(path) };
    else await sleep(POLL_MS);
  }
  return { release: () => rm(path, { force: true }) };
}

/** The process that holds a lock and is alive, on this machine; `undefined` where nobody does. */
export async function lockHolder(path: string): Promise<number | undefined> {
  const owner = await ownerOf(path);
  return isProcess(owner) && !(await isStale(path)) ? owner : undefined;
}

/** The lock appears with its owner's number in it: a process killed in between must not leave one that nobody owns. */
async function tryLock(path: string): Promise<boolean> {
  const claim = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(claim, String(process.pid));
  try {
    await link(claim, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(claim, { force: true });
  }
}

async function ownerOf(path: string): Promise<number> {
  return Number(await readFile(path, 'utf8').catch(() => ''));
}

async function isStale(path: string): Promise<boolean> {
  const owner = await ownerOf(path);
  // Its owner has just removed it.
  if (!isProcess(owner)) return false;
  try {
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

function isProcess(number: number): boolean {
  return Number.isSafeInteger(number) && number > 0;
}
