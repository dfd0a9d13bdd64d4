import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import { stageLosses } from '../stage-loss.js';
import { refuseWithoutVectors } from './one-vector.js';

/** A loss over the first numbers of vectors needs a vector of each text. */
export function checkPrefixes(recipe: Recipe): Problem[] {
  return recipe.stages
    .flatMap((_, index) => stageLosses(recipe, index))
    .filter(({ loss }) => loss.needs?.includes('prefixes'))
    .flatMap(
      (loss) =>
        refuseWithoutVectors(recipe.model, loss, { pairs: 'nll or bce', rows: 'infonce or nll' }) ?? [],
    );
}
