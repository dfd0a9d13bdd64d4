import { modelKinds } from '../../model/kinds.js';
import { makesOneRow } from '../../model/representation/kinds.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import type { StageLoss } from '../stage-loss.js';

/**
 * What is wrong with a loss on vectors where a model has no one vector of each text.
 *
 * @param instead losses for cross-encoders, and for models with several rows of a text
 */
export function refuseWithoutVectors(
  { kind, head: { pooling }, passages }: Recipe['model'],
  { recipe: { name }, at }: StageLoss,
  instead: { pairs: string; rows: string },
): Problem | undefined {
  const refuse = (message: string, losses: string): Problem => ({
    level: 'error',
    keys: at('name'),
    message: `${name} ${message}`,
    hint: `take ${losses}`,
  });
  if (modelKinds.get(kind).readsPairs) {
    return refuse('learns vectors, and a cross-encoder makes none', instead.pairs);
  }
  if (passages.mode === 'max' || (pooling && !makesOneRow({ pooling }))) {
    return refuse('learns one vector of each text, and this model makes several', instead.rows);
  }
  return undefined;
}
