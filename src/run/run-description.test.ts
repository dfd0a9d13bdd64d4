import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTinyRun, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { readRunDescription } from './run-description.js';
import type { RunDirectory } from './run-directory.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-run-description-'));
  await writeTinyData(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface SomeRecipe {
  model: { kind?: string };
  evaluation: { depth?: number };
  evidence?: unknown;
}

/** Changes a run's recipe, and makes it one from before `run.json` had a checksum. */
async function changeRecipe(run: RunDirectory, change: (recipe: SomeRecipe) => void): Promise<void> {
  const path = run.file('run.json');
  const description = JSON.parse(await readFile(path, 'utf8'));
  delete description.checksum;
  change(description.recipe);
  await writeFile(path, JSON.stringify(description));
}

test('a run from before a setting existed has its default', async () => {
  const run = await startTinyRun(folder, 'old', ['evidence.every=75']);
  const before = await readRunDescription(run);
  await changeRecipe(run, (recipe) => {
    delete recipe.model.kind;
    delete recipe.evaluation.depth;
    delete recipe.evidence;
  });
  const { checksum, ...rest } = before;
  expect(checksum).toMatch(/^[0-9a-f]{64}$/);
  expect(await readRunDescription(run)).toEqual(rest);
  expect(before.recipe).toMatchObject({
    model: { kind: 'dual' },
    evaluation: { depth: 100 },
    evidence: { every: 75 },
  });
});

test('a recipe that is none is told with its place', async () => {
  const run = await startTinyRun(folder, 'broken');
  await changeRecipe(run, (recipe) => {
    recipe.model.kind = 'triple';
  });
  await expect(readRunDescription(run)).rejects.toThrow(
    `${run.file('run.json')}: recipe.model.kind: expected dual, cross, seq2seq or terms`,
  );
});
