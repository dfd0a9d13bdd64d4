import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makers } from '../../recipe/axes.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { takeRole } from '../process/processes.js';
import { ONE_THREAD, startRun } from '../run.fixture.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import type { MakeContext } from './make-context.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-make-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A run whose first stage makes something by a maker of somebody else. */
async function runWith(
  name: string,
  make: (options: object, context: MakeContext) => Promise<boolean>,
): Promise<RunDirectory> {
  makers.register({ name, description: 'for a test', options: {}, make });
  const stages = `stages=[{name: made, make: ${name}}, {name: learn, steps: 2, negatives: [in-batch]}]`;
  return startRun(folder, name, { set: [stages] });
}

test('a maker that is asked to stop leaves nothing, and the run goes on there later', async () => {
  const stop = new AbortController();
  let asked = 0;
  const run = await runWith('asks', async (_, { folder: to, shouldStop, signal }) => {
    await writeFile(join(to, 'part'), String(++asked));
    if (asked === 1) stop.abort();
    const stopped = await shouldStop();
    expect(signal.aborted).toBe(stopped);
    return !stopped;
  });
  await takeRole('trainer', run.path, { ...ONE_THREAD, stopSignal: stop.signal });
  expect(await run.isFinished()).toBe(false);
  await takeRole('trainer', run.path, ONE_THREAD);
  expect(await run.isFinished()).toBe(true);
  expect(asked).toBe(2);
});

test('a maker that looks only at the signal is stopped by telling how far it is', async () => {
  const stop = new AbortController();
  const run = await runWith('tells', async (_, { progress, signal }) => {
    stop.abort();
    await progress(1, 2);
    signal.throwIfAborted();
    return true;
  });
  await takeRole('trainer', run.path, { ...ONE_THREAD, stopSignal: stop.signal });
  expect(await run.steps('checkpoints')).toEqual([]);
});

test('a maker that gives nothing without having been asked to stop is told as an error', async () => {
  const run = await runWith('gives-up', async () => false);
  await expect(takeRole('trainer', run.path, ONE_THREAD)).rejects.toThrow(
    'stage made: gives-up ended without a result',
  );
});
