import { NearmissError } from '../base/errors.js';
import { checkRecipe } from './checks.js';
import { find, merge, type OriginMap, plain } from './origin-tree.js';
import { applyOverride } from './overrides.js';
import { leaves, pathText } from './paths.js';
import { fromIssues, recipeError, warningText } from './problems.js';
import type { Recipe } from './recipe.js';
import { folderOf, locateRecipe, type RecipeLocation, readRecipeFile } from './recipe-file.js';
import { recipeSchema } from './schema.js';

/** Where each value of a recipe comes from: `default`, `recipes/base.yaml:12` or `--set`. */
export type Origins = ReadonlyMap<string, string>;

export interface LoadedRecipe {
  recipe: Recipe;
  /** By path, with stages by their names: `stages.ance.steps`. */
  origins: Origins;
  /** What can be trained but is hardly meant, for people. */
  warnings: string[];
}

export interface LoadRecipeOptions {
  /** `path=value`, later ones win. */
  set?: readonly string[];
}

/**
 * Loads a recipe, built-in by its name or a file by its path, on top of what it `extends`, changes it as `set`
 * says, fills in the defaults and checks that it can be trained.
 *
 * @example
 * const { recipe, origins, warnings } = await loadRecipe('ance-firstp', {
 *   set: ['stages.ance.steps=50', 'optimizer.learningRate=1e-5'],
 * });
 */
export async function loadRecipe(nameOrPath: string, options: LoadRecipeOptions = {}): Promise<LoadedRecipe> {
  const location = await locateRecipe(nameOrPath);
  const said = (options.set ?? []).reduce(applyOverride, await readWithParents(location, []));
  const raw = plain(said) as Record<string, unknown>;
  const parsed = recipeSchema.safeParse({ name: location.name, ...raw });
  if (!parsed.success) throw recipeError(fromIssues(parsed.error.issues, raw), said);
  const problems = checkRecipe(parsed.data);
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length > 0) throw recipeError(errors, said);
  return {
    recipe: parsed.data,
    origins: originsOf(parsed.data, said),
    warnings: problems.map((problem) => warningText(problem, said)),
  };
}

async function readWithParents(location: RecipeLocation, children: RecipeLocation[]): Promise<OriginMap> {
  const chain = [...children, location];
  if (children.some(({ path }) => path === location.path)) {
    throw new NearmissError(
      `${location.label}: extends itself: ${chain.map(({ label }) => label).join(' → ')}`,
      { hint: 'one of them has to stand alone' },
    );
  }
  const own = await readRecipeFile(location);
  const parent = own.entries.get('extends');
  if (!parent) return own;
  own.entries.delete('extends');
  const name = plain(parent);
  if (typeof name !== 'string') {
    throw new NearmissError(`${parent.origin}: extends: expected the name or path of one recipe`);
  }
  const parentLocation = await locateRecipe(name, folderOf(location)).catch((error) => {
    if (!(error instanceof NearmissError)) throw error;
    throw new NearmissError(`${parent.origin}: extends: ${error.message}`, {
      hint: error.hint,
      cause: error,
    });
  });
  const inherited = await readWithParents(parentLocation, chain);
  // They say what the parent is, not what its child is.
  inherited.entries.delete('name');
  inherited.entries.delete('description');
  return merge(inherited, own);
}

function originsOf(recipe: Recipe, said: OriginMap): Origins {
  return new Map(
    leaves(recipe).map(({ keys }) => [pathText(recipe, keys), find(said, keys)?.origin ?? 'default']),
  );
}
