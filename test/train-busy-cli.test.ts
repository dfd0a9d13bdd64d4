import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTinyRun, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { holdFileLock } from '../src/base/lock/file-lock.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');

test('a second train on a run says at once who trains it, and goes on when that ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-busy-'));
  // The processes of a training that is killed go a moment after it.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  await writeTinyData(folder);
  const run = await startTinyRun(folder, 'run');
  const lock = await holdFileLock(run.file('trainer.lock'));
  if ('heldBy' in lock) throw new Error('nobody else should have it');
  const child = spawn(process.execPath, [CLI, 'train', '--out', run.path, '--quiet'], { cwd: folder });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const who = `${run.path}: process ${process.pid} on ${hostname()} is this run's trainer; waiting 60 s at most`;
  await expect.poll(() => said).toContain(who);
  expect(await run.isFinished()).toBe(false);
  await lock.release();
  await expect.poll(() => run.isFinished()).toBe(true);
});
