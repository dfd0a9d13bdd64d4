import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withFileLock } from './file-lock.js';

async function lockPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'deep', 'lock');
}

test('only one holder at a time, and all get their turn', async () => {
  const path = await lockPath();
  let inside = 0;
  let most = 0;
  const work = async (result: number): Promise<number> =>
    withFileLock(path, async () => {
      inside++;
      most = Math.max(most, inside);
      await sleep(20);
      inside--;
      return result;
    });
  expect(await Promise.all([work(1), work(2), work(3)])).toEqual([1, 2, 3]);
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('is released when the work fails', async () => {
  const path = await lockPath();
  await expect(withFileLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(path, async () => 'free')).toBe('free');
});

test('is taken over from a process that died', async () => {
  const path = await lockPath();
  await withFileLock(path, async () => undefined);
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await writeFile(path, String(pid));
  expect(await withFileLock(path, async () => 'taken over')).toBe('taken over');
});
