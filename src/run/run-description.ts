import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import type { Recipe } from '../recipe/recipe.js';
import { recipeSchema } from '../recipe/schema.js';
import type { DataFingerprint } from './data-fingerprint.js';
import { RunDirectory } from './run-directory.js';
import { locateData } from './run-paths.js';

/** `run.json`: what a run is, so that any process can join it knowing nothing but its folder. */
export interface RunDescription {
  format: 1;
  /** The dataset's path, and the split that is learned from. */
  data: string;
  /** The path as it was typed, where that was not absolute. */
  dataAsGiven?: string;
  split: string;
  recipe: Recipe;
  recipeFingerprint: string;
  /** What the collection was when the run began; runs from before it was recorded have none. */
  dataFingerprint?: DataFingerprint;
  createdBy: string;
}

/** Whether a folder holds a run. */
export async function isRun(path: string): Promise<boolean> {
  return exists(new RunDirectory(path).file('run.json'));
}

export async function readRunDescription(run: RunDirectory): Promise<RunDescription> {
  const description = await run.readJson<RunDescription>('run.json');
  if (description?.format === 1) {
    return withDefaults({ ...description, data: run.data ?? (await locateData(description)) }, run);
  }
  throw new NearmissError(`${run.path}: not a run: expected run.json in it`, {
    hint: 'start one with `nearmiss train --data DIR --recipe NAME --out RUN`',
  });
}

/** A run from before a setting existed goes on with the setting's default. */
function withDefaults(description: RunDescription, run: RunDirectory): RunDescription {
  const { data: recipe, error } = recipeSchema.safeParse(description.recipe);
  if (recipe) return { ...description, recipe };
  const [{ path, message }] = error.issues;
  throw new NearmissError(
    `${run.file('run.json')}: recipe.${path.join('.')}: expected ${message}, got something else`,
    { hint: 'run.json was changed by hand, or made by a newer nearmiss: restore it, or start another run' },
  );
}
