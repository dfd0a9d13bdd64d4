import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { hasCode } from '../errors.js';
import { type LockHolder, parseHolder, SILENT_MS, thisProcess } from './lock-holder.js';
import { lifeOf } from './process-identity.js';
import { isSilent } from './silence.js';

/** A lock file as it was found. */
export interface SeenLock {
  holder: LockHolder;
  /** When the holder last gave a sign of life, by the clock of the file system. */
  beatAt: number;
}

/** The token of a lock that was taken; or the lock in the way, where it was still there to be looked at. */
export type Attempt = { token: string } | { token?: undefined; seen?: SeenLock };

/** Takes a lock if it is free or its holder is gone. */
export async function tryLock(path: string): Promise<Attempt> {
  const token = randomBytes(8).toString('hex');
  const claim = `${path}.${token}.lock`;
  try {
    const now = await writeClaim(claim, token);
    if (await isLinked(claim, path)) return { token };
    const seen = await lookAt(path);
    // A network file system may make a link, lose the answer, ask again and be told that there is one.
    if (seen?.holder.token === token) return { token };
    if (seen && isFree(path, seen, now) && (await takeOver(path, claim, now))) return { token };
    return { seen };
  } finally {
    await rm(claim, { force: true });
  }
}

export async function lookAt(path: string): Promise<SeenLock | undefined> {
  // A network file system answers a plain stat from its cache; to open a file it asks for the present state.
  return withOpen(path, 'r', async (file) => {
    const holder = parseHolder(await file.readFile('utf8'));
    return { holder, beatAt: (await file.stat()).mtimeMs };
  });
}

/** Whether a lock's holder has died, as far as one look can tell: for showing it, not for taking the lock. */
export function isGone(path: string, seen: SeenLock, now: number): boolean {
  return isFree(path, seen, now) || (lifeOf(seen.holder) === 'unknown' && now - seen.beatAt > SILENT_MS);
}

/** Whether a lock may be taken from its holder, who is certainly not there any more. */
function isFree(path: string, { holder, beatAt }: SeenLock, now: number): boolean {
  const life = lifeOf(holder);
  return life === 'gone' || (life === 'unknown' && isSilent(path, `${holder.token} ${beatAt}`, now - beatAt));
}

/** Gives a sign of life; says whether the lock is still this one, another's, or not there. */
export async function beat(path: string, token: string): Promise<'ours' | 'taken' | 'missing'> {
  const found = await withOpen(path, 'r+', async (file) => {
    const text = await file.readFile('utf8');
    if (parseHolder(text).token !== token) return 'taken';
    // Nothing new but the time, which the file system takes from the same clock for everybody.
    await file.write(text, 0);
    return 'ours';
  });
  return found ?? 'missing';
}

/** Lets go of a lock, unless somebody has taken it over. */
export async function releaseLock(path: string, token: string): Promise<void> {
  if ((await lookAt(path))?.holder.token === token) await rm(path, { force: true });
}

/** The lock appears with its holder in it: a process killed in between must not leave one that nobody owns. */
async function writeClaim(claim: string, token: string): Promise<number> {
  const file = await open(claim, 'wx');
  try {
    await file.writeFile(`${JSON.stringify(thisProcess(token))}\n`);
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}

async function isLinked(claim: string, path: string): Promise<boolean> {
  try {
    await link(claim, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Puts a claim in the place of a lock whose holder is gone. Several may have found it so, and by now one of them may
 * have it: only one at a time may look again and replace it. That is a lock, too, and is taken over in the same way.
 */
async function takeOver(path: string, claim: string, now: number): Promise<boolean> {
  const turn = `${path}.takeover.lock`;
  const { token } = await tryLock(turn);
  if (token === undefined) return false;
  try {
    const seen = await lookAt(path);
    if (!seen || !isFree(path, seen, now)) return false;
    await rename(claim, path);
    return true;
  } finally {
    await releaseLock(turn, token);
  }
}

async function withOpen<T>(
  path: string,
  flags: 'r' | 'r+',
  use: (file: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, flags);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
