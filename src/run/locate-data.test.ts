import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { locateData } from './locate-data.js';

test('a collection that was moved with its run is found beside it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-moved-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const run = join(folder, 'new', 'runs', 'mine');
  await mkdir(run, { recursive: true });
  const data = join(folder, 'old', 'data', 'mine');
  expect(await locateData(run, { data })).toBe(data);
  // The run's own folder has the collection's name, but lies elsewhere.
  await mkdir(join(folder, 'new', 'data', 'mine'), { recursive: true });
  expect(await locateData(run, { data })).toBe(join(folder, 'new', 'data', 'mine'));
  await mkdir(data, { recursive: true });
  expect(await locateData(run, { data })).toBe(data);
});
