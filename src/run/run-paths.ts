import { resolve } from 'node:path';
import { exists } from '../base/files.js';
import { isPath } from '../base/settings.js';
import { choicesIn } from '../recipe/axis-places.js';
import type { Recipe } from '../recipe/recipe.js';

/** A recipe whose files are found from any folder: those that options name, and modules. */
export function withAbsoluteFiles(recipe: Recipe): Recipe {
  const absolute = structuredClone(recipe);
  for (const { axis, kind, value } of choicesIn(absolute)) {
    // A stage that changes a part of the recipe's loss does not repeat which it is.
    for (const { options } of kind ? [kind] : axis.registry.kinds) {
      for (const [name, option] of Object.entries(options)) {
        const path = value[name];
        if (isPath(option) && typeof path === 'string') value[name] = resolve(path);
      }
    }
  }
  return { ...absolute, use: absolute.use.map((path) => resolve(path)) };
}

/**
 * Where a run's collection is. One that was moved together with its run is looked for under the path that was typed,
 * from where the command runs.
 */
export async function locateData({
  data,
  dataAsGiven,
}: {
  data: string;
  /** As it was typed, where that was not absolute. */
  dataAsGiven?: string;
}): Promise<string> {
  if (dataAsGiven === undefined || (await exists(data))) return data;
  return (await exists(dataAsGiven)) ? resolve(dataAsGiven) : data;
}
