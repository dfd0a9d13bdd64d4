import { join } from 'node:path';
import { takeRole } from '../train/processes.js';
import { fingerprintRecipe } from '../train/recipe/fingerprint.js';
import { loadRecipe } from '../train/recipe/load.js';
import type { RunDirectory } from '../train/run-directory.js';
import { createRun } from '../train/run-setup.js';
import { writeSynonyms } from '../train/synonyms.fixture.js';

/** Begins a run of the recipe `tiny` on a small collection, without taking a step. */
export async function startTinyRun(folder: string, name: string, set: string[] = []): Promise<RunDirectory> {
  const data = join(folder, 'data');
  await writeSynonyms(data, { words: 14, seed: 3 });
  const { recipe } = await loadRecipe('tiny', { set });
  const description = { data, split: 'train', recipe, recipeFingerprint: fingerprintRecipe(recipe) };
  return createRun(join(folder, name), description, { quiet: true });
}

/** The same, trained to its end: a warm-up of 10 steps, and ANCE with a refresh every 10. */
export async function trainTinyRun(folder: string, name: string, set: string[] = []): Promise<RunDirectory> {
  const run = await startTinyRun(folder, name, set);
  const options = { session: { threads: 1 }, quiet: true };
  await Promise.all([takeRole('trainer', run.path, options), takeRole('inferencer', run.path, options)]);
  return run;
}
