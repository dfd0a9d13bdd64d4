import {
  AdamW,
  isWeightMatrix,
  Lamb,
  type Optimizer,
  type ParameterStore,
  scheduleFactor,
} from '../engine/index.js';
import { bce, hinge, infoNce, type Loss, nll, rankNet } from '../loss/index.js';
import type { LossRecipe, OptimizerRecipe } from '../recipe/recipe.js';
import type { PlannedStage } from '../run/plan.js';

/** The loss that a recipe names. */
export function lossOf({ name, margin }: LossRecipe): Loss {
  const losses: Record<LossRecipe['name'], Loss> = {
    nll,
    infonce: infoNce,
    bce,
    hinge: hinge({ margin }),
    ranknet: rankNet,
  };
  return losses[name];
}

/** The optimizer that a recipe names, at its beginning. */
export function optimizerOf(recipe: OptimizerRecipe, parameters: ParameterStore): Optimizer {
  const { beta1, beta2, epsilon, weightDecay } = recipe;
  const options = { beta1, beta2, epsilon, weightDecay, decays: isWeightMatrix };
  return recipe.name === 'lamb' ? new Lamb(parameters, options) : new AdamW(parameters, options);
}

/** The learning rate at each of the run's steps while a stage lasts: every stage warms up and decays by itself. */
export function learningRateOf({ optimizer, start, end }: PlannedStage): (step: number) => number {
  const { learningRate, warmupSteps, decay } = optimizer;
  const schedule = { warmupSteps, decay, totalSteps: end - start };
  return (step) => learningRate * scheduleFactor(step - start, schedule);
}
