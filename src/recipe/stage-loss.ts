import { losses } from '../loss/kinds.js';
import type { Loss } from '../loss/loss.js';
import { AXES } from './axis-places.js';
import { changedChoice } from './changed-choice.js';
import type { Keys } from './origin-tree.js';
import type { LossRecipe, Recipe, StageRecipe } from './recipe.js';

/**
 * The losses of a stage with everything they inherit from the recipe's. A stage that names another loss does not
 * inherit the options which that does not have.
 */
export function lossesOf(recipe: Pick<Recipe, 'loss'>, stage: Pick<StageRecipe, 'loss'>): LossRecipe[] {
  if (stage.loss === undefined) return [recipe.loss].flat();
  if (Array.isArray(stage.loss)) return stage.loss;
  // Where the recipe has several there is none to change: the stage's stands alone.
  if (Array.isArray(recipe.loss)) return [stage.loss as LossRecipe];
  return [changedChoice(AXES.loss, recipe.loss, stage.loss)];
}

/** A loss of a stage, and where a recipe says something of it. */
export interface StageLoss {
  recipe: LossRecipe;
  loss: Loss;
  /** The path of one of its settings: the stage's, or the recipe's where the stage is silent. */
  at(field: string): Keys;
}

/** The losses of a stage as they are learned from. */
export function stageLosses(recipe: Recipe, index: number): StageLoss[] {
  const stage = recipe.stages[index];
  return lossesOf(recipe, stage).map((loss, nth) => ({
    recipe: loss,
    loss: losses.get(loss.name).create(loss),
    at(field) {
      const own = ['stages', index, 'loss'];
      if (Array.isArray(stage.loss)) return [...own, nth, field];
      if (stage.loss && (field in stage.loss || Array.isArray(recipe.loss))) return [...own, field];
      return Array.isArray(recipe.loss) ? ['loss', nth, field] : ['loss', field];
    },
  }));
}
