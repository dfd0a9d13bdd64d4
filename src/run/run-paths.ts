import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { madeBy } from '../base/made-reference.js';
import { isModelName, isPath, isPaths } from '../base/settings.js';
import { choicesIn } from '../recipe/axis-places.js';
import type { Recipe } from '../recipe/recipe.js';

/** A recipe whose files are found from any folder: those that options name, and modules. */
export function withAbsoluteFiles(recipe: Recipe): Recipe {
  const absolute = structuredClone(recipe);
  for (const { axis, kind, value } of choicesIn(absolute)) {
    // A stage that changes a part of the recipe's loss does not repeat which it is.
    for (const { options } of kind ? [kind] : axis.registry.kinds) {
      for (const [name, option] of Object.entries(options)) {
        const said = value[name];
        if (isPath(option) && typeof said === 'string') value[name] = absolutePath(said);
        if (isModelName(option) && typeof said === 'string' && existsSync(said)) value[name] = resolve(said);
        if (isPaths(option) && Array.isArray(said)) value[name] = said.map(absolutePath);
      }
    }
  }
  return { ...absolute, use: absolute.use.map((path) => resolve(path)) };
}

/** What a stage makes is found by its name. */
function absolutePath(path: string): string {
  return madeBy(path) === undefined ? resolve(path) : path;
}
