import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ELSEWHERE, leaveForeignLock } from '../../base/lock/foreign-lock.fixture.js';
import { SILENT_MS } from '../../base/lock/lock-holder.js';
import { RunDirectory } from '../../run/run-directory.js';
import { stateOf } from './run-state.js';

test('a run is running while a process on another machine gives signs of life', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-state-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const run = new RunDirectory(folder);
  const lock = run.file('trainer.lock');
  await leaveForeignLock(lock);
  expect(await stateOf(run)).toEqual({ state: 'running', holders: { trainer: ELSEWHERE } });

  const longAgo = new Date(Date.now() - 2 * SILENT_MS);
  await utimes(lock, longAgo, longAgo);
  expect(await stateOf(run)).toEqual({ state: 'stopped', holders: {} });
});
