import { NearmissError, UsageError } from '../../base/errors.js';
import { loadRecipe } from '../../recipe/load.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { TableRow } from './row.js';
import { scaleSteps } from './train-row.js';

export interface RowRecipeOptions {
  /** Shorter training by this factor, the same for all rows. */
  stepFactor: number;
  set: string[];
}

/** The recipe of a row as it is trained for the table. */
export async function rowRecipe(row: TableRow, { stepFactor, set }: RowRecipeOptions): Promise<Recipe> {
  const { recipe } = await loadRecipe(row.recipe, { set: [...set, ...(row.set ?? [])] });
  const { patience } = recipe.evaluation;
  if (patience > 0) {
    throw new UsageError(
      `evaluation.patience: expected 0, as all rows of the table take the same number of steps, got ${patience}`,
      { hint: 'leave it out of --set' },
    );
  }
  return scaleSteps({ ...recipe, name: row.name }, stepFactor);
}

/** The same, or undefined where the settings do not fit the row, e.g. name a stage that it does not have. */
export async function rowRecipeIfFits(row: TableRow, options: RowRecipeOptions): Promise<Recipe | undefined> {
  try {
    return await rowRecipe(row, options);
  } catch (error) {
    if (error instanceof NearmissError) return undefined;
    throw error;
  }
}

/** A recipe that starts from a model that was trained before, whatever it starts from by itself. */
export function startingFrom(init: string, recipe: Recipe): Recipe {
  return { ...recipe, model: { ...recipe.model, init } };
}
