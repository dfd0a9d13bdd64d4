import { recipeModel } from '../../run/best-model.js';
import { type Normalization, PairScorers } from '../../teacher/index.js';
import type { MakeContext } from './make-context.js';

/** The models that a recipe names, to score pairs as one. */
export async function openRecipeScorers(
  models: readonly string[],
  { run, session }: Pick<MakeContext, 'run' | 'session'>,
  normalize: Normalization = 'none',
): Promise<PairScorers> {
  const folders = await Promise.all(models.map((model) => recipeModel(run, model)));
  return PairScorers.open(folders, { session, normalize });
}
