import { mkdir, rename, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LockHolder } from './lock-holder.js';

export const ELSEWHERE = {
  pid: 4711,
  host: 'elsewhere',
  boot: 'its boot',
  pidNamespace: 'pid:[1]',
  since: '2026-01-31T10:00:00.000Z',
  token: 'its token',
} satisfies LockHolder;

/** Puts a lock of a process on another machine there, also in the place of ours. */
export async function leaveForeignLock(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.claim`, JSON.stringify(ELSEWHERE));
  await rename(`${path}.claim`, path);
}

/** Gives signs of life in the name of a lock's process until `work` is done. */
export async function whileItLives<T>(path: string, work: () => Promise<T>): Promise<T> {
  let beats = 0;
  const timer = setInterval(() => {
    const now = new Date(Date.now() + ++beats);
    utimes(path, now, now).catch(() => undefined);
  }, 200);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
