import { isAbsolute, resolve } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { diffRecipes, formatDifferences, type RecipeDifference } from '../../recipe/fingerprint.js';
import type { Recipe } from '../../recipe/recipe.js';
import { readRunJudged } from '../../run/collection/judged.js';
import { isRun, type RunDescription, readRunDescription } from '../../run/run-description.js';
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
  if (!learnsFrom(begun, { data, split })) {
    const had = `${begun.data} (${begun.split})`;
    throw new NearmissError(`${path}: this run learns from ${had}, not from ${given.data} (${split})`, {
      hint: 'choose another folder with --out, or remove this run to train it anew',
    });
  }
  const differences = await differencesTo(run, begun, recipe);
  if (differences.length === 0) return run;
  throw new NearmissError(
    `${path}: this run was begun with another recipe:\n${formatDifferences(differences)}`,
    {
      hint: 'leave the recipe out to go on with it, choose another folder with --out, or remove it to train it anew',
    },
  );
}

/** Whether a folder holds a run that was begun as this one, so that {@link beginRun} would go on with it. */
export async function isBegunAs(path: string, { data, split, recipe }: AskedRun): Promise<boolean> {
  if (!(await isRun(path))) return false;
  const run = new RunDirectory(path);
  const begun = await readRunDescription(run);
  if (!learnsFrom(begun, { data, split })) return false;
  return (await differencesTo(run, begun, withAbsoluteFiles(recipe))).length === 0;
}

function learnsFrom(begun: RunDescription, { data, split }: Pick<AskedRun, 'data' | 'split'>): boolean {
  return resolve(begun.data) === resolve(data) && begun.split === split;
}

/** The settings in which a recipe would do something else on the run's collection than the run does. */
async function differencesTo(
  run: RunDirectory,
  { data, split, recipe: begun }: RunDescription,
  recipe: Recipe,
): Promise<RecipeDifference[]> {
  const { recipe: settled } = await settleRun({ data, split, recipe }, await readRunJudged(run));
  return diffRecipes(withAbsoluteFiles(begun), settled);
}
