import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';
import { exitOf, startTraining, trainUnderFire } from './kill.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-crash-'));
  await writeSynonyms(join(folder, 'data'), { words: 10, seed: 5 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const argsFor = (run: string, mode: string): string[] => [
  ...['--data', join(folder, 'data'), '--recipe', 'tiny', '--out', run],
  ...['--set', `refresh.mode=${mode}`, '--set', 'checkpoint.every=5'],
];

async function finalWeights(run: string): Promise<Buffer> {
  return readFile(join(run, 'checkpoints/step-000030/model.safetensors'));
}

/** What kills have left in a run. */
async function unfinished(run: string): Promise<string[]> {
  const names = await readdir(run, { recursive: true });
  return names.filter((name) => name.includes('.partial-'));
}

test('a lockstep run that is killed again and again ends in the same bits', async () => {
  const [calm, shot] = [join(folder, 'calm'), join(folder, 'shot')];
  expect(await exitOf(startTraining(argsFor(calm, 'lockstep')))).toBe(0);
  const killed = await trainUnderFire(shot, argsFor(shot, 'lockstep'), {
    kills: 6,
    seed: 1,
    maxPauseMs: 2500,
  });
  expect(Object.values(killed).reduce((sum, count) => sum + count)).toBeGreaterThan(1);
  expect((await finalWeights(shot)).equals(await finalWeights(calm))).toBe(true);
  expect(await unfinished(shot)).toEqual([]);
});

test('an asynchronous run that is killed again and again comes to its end', async () => {
  const run = join(folder, 'async');
  await trainUnderFire(run, argsFor(run, 'async'), { kills: 3, seed: 2, maxPauseMs: 2000 });
  expect((await finalWeights(run)).length).toBeGreaterThan(0);
  expect(JSON.parse(await readFile(join(run, 'best.json'), 'utf8')).measures['RR@10']).toBeGreaterThan(0);
  expect(await unfinished(run)).toEqual([]);
});
