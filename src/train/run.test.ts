import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseEvents, type TimedEvent } from './events.js';
import { takeRole } from './processes.js';
import { fingerprintRecipe } from './recipe/fingerprint.js';
import { loadRecipe } from './recipe/load.js';
import type { RunDirectory } from './run-directory.js';
import { createRun } from './run-setup.js';
import { writeSynonyms } from './synonyms.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-run-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function startRun(name: string, set: string[] = []): Promise<RunDirectory> {
  const { recipe } = await loadRecipe('tiny', { set });
  const data = join(folder, 'data');
  const description = { data, split: 'train', recipe, recipeFingerprint: fingerprintRecipe(recipe) };
  return createRun(join(folder, name), description, { quiet: true });
}

async function bothRoles(run: RunDirectory): Promise<void> {
  const options = { session: { threads: 1 }, quiet: true };
  await Promise.all([takeRole('trainer', run.path, options), takeRole('inferencer', run.path, options)]);
}

async function eventsOf(run: RunDirectory, role: string): Promise<TimedEvent[]> {
  return parseEvents(await readFile(run.file('events', `${role}.jsonl`), 'utf8'));
}

async function weightsOf(run: RunDirectory, step: number): Promise<Buffer> {
  return readFile(join(run.stepPath('checkpoints', step), 'model.safetensors'));
}

test('Trainer and Inferencer learn together, and dev measures rise', async () => {
  const run = await startRun('together', ['stages.ance.steps=60', 'checkpoint.every=20']);
  await bothRoles(run);
  const measured = (await eventsOf(run, 'inferencer')).filter((event) => event.type === 'evaluation');
  const first = measured[0].measures['RR@10'];
  const best = Math.max(...measured.map(({ measures }) => measures['RR@10']));
  expect(best).toBeGreaterThan(first + 0.1);
  expect(await run.isFinished()).toBe(true);
});

test('a lockstep run is a function of its seed', async () => {
  const runs = [await startRun('first'), await startRun('second')];
  for (const run of runs) await bothRoles(run);
  expect((await weightsOf(runs[0], 30)).equals(await weightsOf(runs[1], 30))).toBe(true);
});
