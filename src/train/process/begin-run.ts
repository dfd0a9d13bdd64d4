import { isAbsolute, resolve } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { diffRecipes, formatDifferences } from '../../recipe/fingerprint.js';
import type { Recipe } from '../../recipe/recipe.js';
import { readRunJudged } from '../../run/collection/judged.js';
import { isRun, readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { withAbsoluteFiles } from '../../run/run-paths.js';
import { createRun } from './create-run.js';
import { settleRun } from './settle-run.js';

/** What a run is asked to learn, and from what. */
export interface AskedRun {
  data: string;
  split: string;
  recipe: Recipe;
  /** The recipe as `recipe.yaml` is to show it, e.g. with the origin of each value. */
  recipeText?: string;
}

/** Makes a run's folder, or goes on with the run that is there, which must have been begun as the same. */
export async function beginRun(
  path: string,
  { recipeText, split, ...given }: AskedRun,
  options: { quiet?: boolean } = {},
): Promise<RunDirectory> {
  // A process may join the run from another folder.
  const data = resolve(given.data);
  const recipe = withAbsoluteFiles(given.recipe);
  if (!(await isRun(path))) {
    const dataAsGiven = isAbsolute(given.data) ? {} : { dataAsGiven: given.data };
    return createRun(path, { data, ...dataAsGiven, split, recipe }, { ...options, recipeText });
  }
  const run = new RunDirectory(path);
  const begun = await readRunDescription(run);
  if (resolve(begun.data) !== data || begun.split !== split) {
    const had = `${begun.data} (${begun.split})`;
    throw new NearmissError(`${path}: this run learns from ${had}, not from ${given.data} (${split})`, {
      hint: 'choose another folder with --out, or remove this run to train it anew',
    });
  }
  const { recipe: settled } = await settleRun({ data: begun.data, split, recipe }, await readRunJudged(run));
  const differences = diffRecipes(withAbsoluteFiles(begun.recipe), settled);
  if (differences.length === 0) return run;
  throw new NearmissError(
    `${path}: this run was begun with another recipe:\n${formatDifferences(differences)}`,
    {
      hint: 'leave the recipe out to go on with it, choose another folder with --out, or remove it to train it anew',
    },
  );
}
