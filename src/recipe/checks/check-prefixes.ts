import { modelKinds } from '../../model/kinds.js';
import { makesOneRow } from '../../model/representation/kinds.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import { stageLosses } from '../stage-loss.js';

/** A loss over the first numbers of vectors needs a vector of each text, and at least as many numbers. */
export function checkPrefixes(recipe: Recipe): Problem[] {
  const { model } = recipe;
  const needing = recipe.stages
    .flatMap((_, index) => stageLosses(recipe, index))
    .filter(({ loss }) => loss.needs?.includes('prefixes'));
  return needing.flatMap(({ recipe: { name }, at }): Problem[] => {
    const refuse = (message: string, hint: string): Problem => ({
      level: 'error',
      keys: at('name'),
      message,
      hint,
    });
    if (modelKinds.get(model.kind).readsPairs) {
      return [refuse(`${name} learns vectors, and a cross-encoder makes none`, 'take nll or bce')];
    }
    if (
      model.passages.mode === 'max' ||
      (model.head.pooling && !makesOneRow({ pooling: model.head.pooling }))
    ) {
      return [
        refuse(`${name} learns one vector of each text, and this model makes several`, 'take infonce or nll'),
      ];
    }
    return [];
  });
}
