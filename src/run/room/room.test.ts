import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileAtomic } from '../../base/files.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
import { describeFolder, verifyFolder } from '../checked-folder.js';
import { RunDirectory } from '../run-directory.js';
import { freeRoom, roomOf } from './room.js';
import { shareModels } from './share-models.js';
import { slimRun } from './slim.js';

const SIZES = { 'model.safetensors': 1000, 'optimizer-firstMoment.bin': 1000, 'task-queue.bin': 500 };

async function checkpoint(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, size] of Object.entries(SIZES))
    await writeFile(join(folder, name), Buffer.alloc(size, 7));
  const files = await describeFolder(folder);
  await writeSealedJsonFile(join(folder, 'state.json'), { step: 20, stage: 0, files });
}

async function finishedRun(): Promise<RunDirectory> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-room-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const run = new RunDirectory(folder);
  await run.create();
  for (const step of [10, 20]) {
    await checkpoint(run.stepPath('checkpoints', step));
    await mkdir(run.stepPath('index', step));
    await writeFile(join(run.stepPath('index', step), 'vectors.bin'), Buffer.alloc(300));
    await writeFileAtomic(run.stepPath('evaluations', step), '{}');
  }
  await checkpoint(run.stepPath('resume', 15));
  await mkdir(run.file('best'));
  await writeFile(run.file('best', 'model.safetensors'), Buffer.alloc(1000));
  await writeSealedJsonFile(run.file('best.json'), { step: 10 });
  return run;
}

test('a run that is done keeps its best model, its index and the newest checkpoint without moments', async () => {
  const run = await finishedRun();
  await run.finish({});
  const { kept, removable } = await roomOf(run);
  expect(removable.map(({ path }) => path)).toEqual([
    'resume/step-000015',
    'checkpoints/step-000010',
    'checkpoints/step-000020/optimizer-firstMoment.bin',
    'checkpoints/step-000020/task-queue.bin',
    'index/step-000020',
  ]);
  expect(kept.find(({ path }) => path === 'best')?.bytes).toBe(1000);
  expect(kept.find(({ path }) => path === 'index')?.bytes).toBe(300);

  expect(await freeRoom(run)).toEqual(removable);
  expect(await readdir(run.file('checkpoints'))).toEqual(['step-000020']);
  const last = run.stepPath('checkpoints', 20);
  expect((await readdir(last)).sort()).toEqual(['model.safetensors', 'state.json']);
  // What is left is what its checksums say.
  await verifyFolder(last, { what: 'the checkpoint', remedy: 'none' });
  expect(JSON.parse(await readFile(join(last, 'state.json'), 'utf8'))).toMatchObject({ step: 20, stage: 0 });
  expect(await readdir(run.file('index'))).toEqual(['step-000010']);
  expect((await roomOf(run)).removable).toEqual([]);
});

test('a run that may go on keeps all that it goes on with', async () => {
  const run = await finishedRun();
  await mkdir(run.file('damaged', 'step-000005'), { recursive: true });
  await writeFile(run.file('damaged', 'step-000005', 'model.safetensors'), 'half');
  expect((await freeRoom(run)).map(({ path }) => path)).toEqual(['damaged']);
  expect(await readdir(run.file('checkpoints'))).toHaveLength(2);
  // The Trainer has finished, but the last checkpoint is being measured.
  await run.finish({});
  await rm(run.stepPath('evaluations', 20));
  expect((await roomOf(run)).removable).toEqual([]);
});

test('models that are the same are on the disk once, also after the run was cleaned', async () => {
  const run = await finishedRun();
  await run.finish({});
  const model = Buffer.alloc(1 << 20, 3);
  const places = [
    join(run.stepPath('checkpoints', 20), 'model.safetensors'),
    run.file('best', 'model.safetensors'),
    run.file('start', 'model.safetensors'),
  ];
  await mkdir(run.file('start'), { recursive: true });
  for (const place of places) await writeFile(place, model);
  const other = run.file('best', 'other.bin');
  await writeFile(other, Buffer.alloc(1 << 20, 4));
  await rm(join(run.stepPath('checkpoints', 20), 'state.json'));
  expect(await slimRun(run)).toBe(true);
  const [first, ...rest] = await Promise.all([...places, other].map((place) => stat(place)));
  expect(rest.map(({ ino }) => ino === first.ino)).toEqual([true, true, false]);
  for (const place of places) expect(model.equals(await readFile(place))).toBe(true);
  const { kept } = await roomOf(run);
  expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(2.1 * (1 << 20));
  await freeRoom(run);
  expect(model.equals(await readFile(places[1]))).toBe(true);
});

test('runs that start from the same model have it on the disk once', async () => {
  const runs = [await finishedRun(), await finishedRun()];
  const starts = runs.map((run) => run.file('start', 'model.safetensors'));
  for (const [i, run] of runs.entries()) {
    await mkdir(run.file('start'));
    await writeFile(starts[i], Buffer.alloc(1 << 20, 3));
    await writeFile(run.file('best', 'model.safetensors'), Buffer.alloc(1 << 20, 4 + i));
  }
  await shareModels(...runs);
  const [first, second] = await Promise.all(starts.map((path) => stat(path)));
  expect(second.ino).toBe(first.ino);
  for (const [i, run] of runs.entries()) {
    expect((await readFile(run.file('best', 'model.safetensors')))[0]).toBe(4 + i);
  }
});

test('a run that may go on is left as it is', async () => {
  expect(await slimRun(await finishedRun())).toBe(false);
});
