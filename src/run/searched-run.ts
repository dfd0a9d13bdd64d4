import { z } from 'zod';
import type { EvaluationRecipe, ModelRecipe } from '../recipe/recipe.js';
import { readRunDescription, readStoredDescription } from './run-description.js';
import type { RunDirectory } from './run-directory.js';

const length = z.int().min(1);

const recipeSchema = z.object({
  name: z.string(),
  evaluation: z.object({ split: z.string() }),
  model: z.object({
    // Runs from before there were several have none.
    kind: z.string().default('dual'),
    init: z.string(),
    maxLength: z.object({ query: length, document: length }),
    passages: z.object({ mode: z.enum(['first', 'max']), pieces: z.int().min(1) }),
  }),
});

/** What searching a run takes. */
export interface SearchedRun {
  /** Where its collection is. */
  data: string;
  recipe: {
    name: string;
    /** Where its queries are by which the model was chosen. */
    evaluation: Pick<EvaluationRecipe, 'split'>;
    model: Pick<ModelRecipe, 'kind' | 'init' | 'maxLength' | 'passages'>;
  };
}

/**
 * Reads where a run's collection is, how its model reads texts and what chose it, and no other setting: checking them all takes every
 * axis, which is a tenth of the time until a server gives its first answer.
 */
export async function readSearchedRun(run: RunDirectory): Promise<SearchedRun> {
  const { data, recipe } = await readStoredDescription(run);
  const read = recipeSchema.safeParse(recipe);
  // An earlier version's lacks a setting; and what is wrong with one is best told by whoever knows all.
  return read.success ? { data, recipe: read.data } : readRunDescription(run);
}
