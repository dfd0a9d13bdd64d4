import { examples } from '../../examples/kinds.js';
import type { Recipe } from '../../recipe/recipe.js';
import { planRun } from '../plan.js';

/** Whether a run needs judged training queries: not where every stage that learns brings queries of its own. */
export function learnsFromLabels(recipe: Recipe): boolean {
  return planRun(recipe).stages.some((stage) => !stage.make && !examples.get(stage.examples.name).ownQueries);
}
