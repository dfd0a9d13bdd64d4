import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { diffRecipes } from '../recipe/fingerprint.js';
import { loadRecipe } from '../recipe/load.js';
import { lossesOf } from '../recipe/stage-loss.js';
import { joinRun, readRunDescription } from './run-description.js';
import { RunDirectory } from './run-directory.js';

/** `run.json` as version 0.1 wrote it, and what its recipe was loaded from. */
const EARLIER = {
  tiny: ['loss.name=hinge', 'loss.margin=0.3', 'seed=7', 'evaluation.split=test'],
  'bm25-then-nce': ['evaluation.split=test'],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-earlier-runs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const fixture = (name: string): string => join(import.meta.dirname, `earlier/${name}-0.1.json`);

async function runOf(name: string): Promise<RunDirectory> {
  await copyFile(fixture(name), join(folder, 'run.json'));
  return new RunDirectory(folder);
}

describe.each(Object.entries(EARLIER))('%s', (name, set) => {
  test('is the recipe that the same files give today', async () => {
    const { recipe } = await loadRecipe(name, { set });
    const { recipe: read } = await readRunDescription(await runOf(name));
    expect(diffRecipes(read, recipe)).toEqual([]);
    expect(read).toEqual(recipe);
  });

  test('can be joined, and stays known by its fingerprint', async () => {
    const run = await runOf(name);
    const stored = JSON.parse(await readFile(fixture(name), 'utf8'));
    expect(await joinRun(run)).toEqual(await readRunDescription(run));
    expect(await joinRun(run)).toMatchObject({ recipeFingerprint: stored.recipeFingerprint });
  });

  test('its recipe, written out, loads again', async () => {
    const stored = JSON.parse(await readFile(fixture(name), 'utf8')).recipe;
    const path = join(folder, 'written-out.yaml');
    await writeFile(path, stringify(stored));
    const { recipe } = await loadRecipe(name, { set });
    expect(diffRecipes((await loadRecipe(path)).recipe, recipe)).toEqual([]);
  });
});

test("a margin that a stage's hinge had from the recipe's loss is still its margin", async () => {
  const run = await runOf('tiny');
  const description = JSON.parse(await readFile(fixture('tiny'), 'utf8'));
  description.recipe.loss = { name: 'infonce', temperature: 0.05, margin: 0.7 };
  description.recipe.stages[0].loss = { name: 'hinge' };
  await writeFile(run.file('run.json'), JSON.stringify(description));
  const { recipe } = await readRunDescription(run);
  expect(recipe.stages.map((stage) => lossesOf(recipe, stage))).toEqual([
    [{ name: 'hinge', temperature: 0.05, weight: 1, margin: 0.7 }],
    [{ name: 'infonce', temperature: 0.05, weight: 1 }],
  ]);
});
