import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NearmissError } from '../errors.js';
import { makeDirectory } from '../folders/make-directory.js';
import { beat, isGone, lookAt, releaseLock, type SeenLock, tryLock } from './lock-file.js';
import { describeHolder, type LockHolder, SILENT_MS } from './lock-holder.js';
import { lifeOf } from './process-identity.js';
import { BEAT_MS } from './silence.js';

const POLL_MS = 100;

/** A lock that this process has. */
export interface HeldLock {
  release: () => Promise<void>;
  /**
   * Aborted, with the error to throw, when another machine or container has taken the lock over because this process
   * was silent for too long (it was suspended, say). What the lock protects must not be written any more.
   */
  lost: AbortSignal;
}

export interface WorkOptions {
  /** Told once when another process has to be waited for. */
  onWait?: (message: string) => void;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

/**
 * Runs `work` while no other process runs work under the same lock file, on any machine that sees it. A lock whose
 * process has died is taken over.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  { onWait, signal }: WorkOptions = {},
): Promise<T> {
  await makeDirectory(dirname(path));
  let attempt = await tryLock(path);
  if (attempt.token === undefined && attempt.seen) {
    onWait?.(`${path}: ${describeHolder(attempt.seen.holder)} is at work there; waiting for it to end`);
  }
  while (attempt.token === undefined) {
    await sleep(POLL_MS, undefined, { signal });
    attempt = await tryLock(path);
  }
  const lock = keep(path, attempt.token);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

export interface HoldOptions {
  /** How long to wait for a process that is known to live. */
  waitMs?: number;
  /** Told when it is not known whether the holder lives, and so has to be waited for. */
  onWait?: (message: string) => void;
}

/**
 * Takes a lock for as long as this process needs it; gives the process that holds it where it may not. Only one that
 * shows life is a reason to refuse: one that the kernel does not know is waited for until it gives a sign or was silent
 * for so long that it counts as dead. So what was killed with its container can be started again at once.
 */
export async function holdFileLock(
  path: string,
  { waitMs = 0, onWait }: HoldOptions = {},
): Promise<HeldLock | { heldBy: LockHolder }> {
  const deadline = performance.now() + waitMs;
  await makeDirectory(dirname(path));
  let first: SeenLock | undefined;
  for (;;) {
    const attempt = await tryLock(path);
    if (attempt.token !== undefined) return keep(path, attempt.token);
    const { seen } = attempt;
    if (seen) {
      const isAlive = lifeOf(seen.holder) === 'alive' || (first && seen.beatAt !== first.beatAt);
      if (isAlive && performance.now() >= deadline) return { heldBy: seen.holder };
      if (!isAlive && !first) onWait?.(waitMessage(path, seen.holder));
      first ??= seen;
    }
    await sleep(POLL_MS);
  }
}

/** The process that holds a lock and is alive as far as can be known; `undefined` where nobody does. */
export async function lockHolder(path: string): Promise<LockHolder | undefined> {
  const seen = await lookAt(path);
  return seen && !isGone(path, seen, Date.now()) ? seen.holder : undefined;
}

function keep(path: string, token: string): HeldLock {
  const lost = new AbortController();
  let misses = 0;
  const onBeat = (found: Awaited<ReturnType<typeof beat>>): void => {
    misses = found === 'missing' ? misses + 1 : 0;
    // A folder that is being replaced has no name for a moment, and so no lock: missing once is no loss.
    if (found === 'ours' || misses === 1) return;
    clearInterval(timer);
    lost.abort(lostError(path));
  };
  // What disturbs a beat (a network, a disk) may have passed at the next one.
  const timer = setInterval(() => beat(path, token).then(onBeat, () => undefined), BEAT_MS).unref();
  const release = async (): Promise<void> => {
    clearInterval(timer);
    await releaseLock(path, token);
  };
  return { lost: lost.signal, release };
}

function waitMessage(path: string, holder: LockHolder): string {
  const seconds = SILENT_MS / 1000;
  return `${path}: ${describeHolder(holder)} had this lock; waiting for a sign of life, at most ${seconds} s`;
}

function lostError(path: string): NearmissError {
  return new NearmissError(`${path}: this process has lost its lock, and writes no more`, {
    hint: `after ${SILENT_MS / 1000} s without a sign of life (was it suspended?) another machine or container may take a lock over; or it was removed by hand. Start again when no other process has it`,
  });
}
