import { resolve } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { checkRecipe } from './checks/checks.js';
import { RECIPE_RULES, spellOut } from './merge-layers.js';
import { loadModules } from './modules.js';
import { find, merge, type OriginMap, type OriginNode, plain } from './origin-tree.js';
import { applyOverride } from './overrides.js';
import { leaves, pathText } from './paths.js';
import { fromIssues, recipeError, warningText } from './problems.js';
import type { Recipe } from './recipe.js';
import { folderOf, locateRecipe, type RecipeLocation, readRecipeFile } from './recipe-file.js';
import { layChoices, type RecipeChoices, type RecipeObject, recipeNode } from './recipe-object.js';
import { recipeSchema } from './schema/schema.js';

const USE_ORIGIN = '--module';
/** An object stands for a file in the working directory. */
const OBJECT_LOCATION: RecipeLocation = { path: 'recipe', label: 'recipe', name: 'recipe' };

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
  /** Modules besides those that the recipe names, from the working directory. */
  use?: readonly string[];
  /** What every stage that learns takes, whatever the recipe says. */
  choose?: RecipeChoices;
}

/**
 * Loads a recipe, built-in by its name, a file by its path or an object that says what a file would, on top of what it `extends`, changes it as `set`
 * says, fills in the defaults and checks that it can be trained. The modules that it names with `use` are run.
 *
 * @example
 * const { recipe, origins, warnings } = await loadRecipe('ance-firstp', {
 *   set: ['stages.ance.steps=50', 'optimizer.learningRate=1e-5'],
 * });
 */
export async function loadRecipe(
  source: string | RecipeObject,
  options: LoadRecipeOptions = {},
): Promise<LoadedRecipe> {
  const location = typeof source === 'string' ? await locateRecipe(source) : OBJECT_LOCATION;
  const own =
    typeof source === 'string' ? await readRecipeFile(location) : recipeNode(source, location.label);
  const layers = [...(await withParents(own, location, [])), useLayer(options.use ?? [], location.label)];
  const compose = (): OriginMap => {
    const files = layers.reduce((under, over) => merge(under, over, RECIPE_RULES));
    const chosen = layChoices(files, options.choose ?? {});
    return resolveUse((options.set ?? []).reduce(applyOverride, chosen), process.cwd());
  };
  await loadUsed(compose());
  // Once more, as it is known now which options the kinds of the modules have.
  const said = compose();
  const raw = plain(said) as Record<string, unknown>;
  const parsed = recipeSchema().safeParse({ name: location.name, ...raw });
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

/** What a recipe's parents and the recipe itself say, that last. */
async function withParents(
  said: OriginMap,
  location: RecipeLocation,
  children: readonly RecipeLocation[],
): Promise<OriginMap[]> {
  const chain = [...children, location];
  if (children.some(({ path }) => path === location.path)) {
    throw new NearmissError(
      `${location.label}: extends itself: ${chain.map(({ label }) => label).join(' → ')}`,
      { hint: 'one of them has to stand alone' },
    );
  }
  const own = resolveUse(spellOut(said) as OriginMap, folderOf(location));
  const parent = own.entries.get('extends');
  if (!parent) return [own];
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
  const inherited = await withParents(await readRecipeFile(parentLocation), parentLocation, chain);
  for (const { entries } of inherited) {
    // They say what the parent is, not what its child is.
    entries.delete('name');
    entries.delete('description');
  }
  return [...inherited, own];
}

/** What a command line adds to `use`. */
function useLayer(modules: readonly string[], origin: string): OriginMap {
  const items = modules.map((value): OriginNode => ({ kind: 'scalar', origin: USE_ORIGIN, value }));
  const use: OriginNode = { kind: 'list', origin: USE_ORIGIN, items };
  return { kind: 'map', origin, entries: new Map(items.length > 0 ? [['use', use]] : []) };
}

/** The same with the paths of its modules absolute, those that are not taken from `folder`. */
function resolveUse(said: OriginMap, folder: string): OriginMap {
  const use = said.entries.get('use');
  if (use?.kind !== 'list') return said;
  const items = use.items.map((item) =>
    item.kind === 'scalar' && typeof item.value === 'string'
      ? { ...item, value: resolve(folder, item.value) }
      : item,
  );
  return { ...said, entries: new Map(said.entries).set('use', { ...use, items }) };
}

async function loadUsed(said: OriginMap): Promise<void> {
  const use = said.entries.get('use');
  if (use?.kind !== 'list') return;
  for (const item of use.items) {
    const path = plain(item);
    if (typeof path !== 'string') continue;
    await loadModules([path]).catch((error) => {
      if (!(error instanceof NearmissError)) throw error;
      throw new NearmissError(`${item.origin}: use: ${error.message}`, { hint: error.hint, cause: error });
    });
  }
}

function originsOf(recipe: Recipe, said: OriginMap): Origins {
  return new Map(
    leaves(recipe).map(({ keys }) => [pathText(recipe, keys), find(said, keys)?.origin ?? 'default']),
  );
}
