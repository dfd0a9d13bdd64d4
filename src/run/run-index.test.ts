import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTinyRun, trainTinyRun, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { openFilesIn } from '../base/open-files.fixture.js';
import { openSearcher } from '../search/index.js';
import { takeRole } from '../train/process/processes.js';
import { bothRoles, stopWhenMeasured } from '../train/run.fixture.js';
import type { RunDirectory } from './run-directory.js';
import { bestSoFar } from './step-evaluation.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-run-index-'));
  await writeTinyData(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Changes a byte of a step's vectors; gives the folder of the index. */
async function damage(run: RunDirectory, step: number): Promise<string> {
  const index = run.stepPath('index', step);
  const bytes = await readFile(join(index, 'vectors.bin'));
  bytes[7] ^= 1;
  await writeFile(join(index, 'vectors.bin'), bytes);
  return index;
}

async function search(run: RunDirectory, inWorkers: boolean): Promise<number> {
  const searcher = await openSearcher(run.path, { modes: ['dense'], threads: 1, inWorkers });
  const [hits] = await searcher.retriever('dense').search(['gox'], { k: 5 });
  await searcher.close();
  return hits.length;
}

test('a search of a run whose index is damaged says how to get it back, and that works', async () => {
  const run = await trainTinyRun(folder, 'searched');
  const index = await damage(run, (await bestSoFar(run))!.step);
  const hint = `remove ${index}; nearmiss train --out ${run.path} makes the index of the best model again`;
  const message = expect.stringContaining('its checksum is wrong');
  await expect(search(run, false)).rejects.toMatchObject({ message, hint });
  await expect(search(run, true)).rejects.toMatchObject({ message, hint });
  expect(await openFilesIn(folder), 'files left open').toEqual([]);
  await rm(index, { recursive: true });
  await expect(search(run, false)).rejects.toMatchObject({ hint });
  await takeRole('inferencer', run.path, { session: { threads: 1 }, quiet: true });
  expect(await search(run, false)).toBe(5);
});

test('an Inferencer that goes on with a damaged index says so, and makes it anew once it is removed', async () => {
  const run = await startTinyRun(folder, 'resumed');
  await stopWhenMeasured(run);
  const index = await damage(run, 0);
  await rm(run.stepPath('evaluations', 0));
  const hint = `remove ${index} and run the same command again, which makes it anew`;
  await expect(
    takeRole('inferencer', run.path, { session: { threads: 1 }, quiet: true }),
  ).rejects.toMatchObject({
    hint,
  });
  expect(await openFilesIn(folder), 'files left open').toEqual([]);
  await rm(index, { recursive: true });
  await bothRoles(run);
  expect(await run.isFinished()).toBe(true);
});
