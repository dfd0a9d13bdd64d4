import type { OptionsOf } from '../../base/registry.js';
import { loadRecipe } from '../../recipe/load.js';
import type { trainKind } from '../../recipe/makers/train-kind.js';

/** Fails where the recipe of a stage that trains another model cannot be read. */
export async function requireRecipe(options: OptionsOf<(typeof trainKind)['options']>): Promise<void> {
  await loadRecipe(options.recipe, { set: [...options.set] });
}
