import { resolve } from 'node:path';
import { exists } from '../base/files.js';
import type { Recipe } from '../recipe/recipe.js';
import type { RunDescription } from './run-description.js';

/** A recipe whose files are found from any folder. */
export function withAbsoluteFiles(recipe: Recipe): Recipe {
  return {
    ...recipe,
    stages: recipe.stages.map((stage) => ({
      ...stage,
      negatives: stage.negatives.map((source) =>
        source.file === undefined ? source : { ...source, file: resolve(source.file) },
      ),
    })),
  };
}

/**
 * Where a run's collection is. One that was moved together with its run is looked for under the path that was typed,
 * from where the command runs.
 */
export async function locateData({
  data,
  dataAsGiven,
}: Pick<RunDescription, 'data' | 'dataAsGiven'>): Promise<string> {
  if (dataAsGiven === undefined || (await exists(data))) return data;
  return (await exists(dataAsGiven)) ? resolve(dataAsGiven) : data;
}
