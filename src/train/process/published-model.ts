import { resolve } from 'node:path';
import { exists } from '../../base/files.js';
import { openModel } from '../../model/folder/source.js';
import { makesRows } from '../../model/kinds.js';
import type { ModelRecipe } from '../../recipe/recipe.js';
import { textLengths } from '../../recipe/text-lengths.js';

/**
 * The model as published, where what a run starts from is only a part of it or reads texts otherwise; undefined where
 * both are the same, or nothing was published.
 */
export async function publishedModel(model: ModelRecipe): Promise<string | undefined> {
  const { init } = model;
  if (init === 'scratch' || !makesRows(model.kind)) return undefined;
  const { config, maxSequenceLength, weights } = await openModel(init, { quiet: true });
  await weights.close();
  const whole =
    (model.layers ?? config.layers) === config.layers &&
    Object.keys(model.head).length === 0 &&
    model.passages.mode === 'first' &&
    textLengths(model).document >= maxSequenceLength;
  if (whole) return undefined;
  return (await exists(init)) ? resolve(init) : init;
}
