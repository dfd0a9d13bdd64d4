import {
  AdamW,
  isWeightMatrix,
  Lamb,
  type Optimizer,
  type ParameterStore,
  scheduleFactor,
} from '../engine/index.js';
import type { OptimizerRecipe } from '../recipe/recipe.js';
import type { PlannedStage } from '../run/plan.js';

/** The optimizer that a recipe names, at its beginning. */
export function optimizerOf(
  recipe: OptimizerRecipe,
  parameters: ParameterStore,
  learns: (name: string) => boolean,
): Optimizer {
  const { beta1, beta2, epsilon, weightDecay } = recipe;
  const options = { beta1, beta2, epsilon, weightDecay, decays: isWeightMatrix, learns };
  return recipe.name === 'lamb' ? new Lamb(parameters, options) : new AdamW(parameters, options);
}

/** The learning rate at each of the run's steps while a stage lasts: every stage warms up and decays by itself. */
export function learningRateOf({ optimizer, start, end }: PlannedStage): (step: number) => number {
  const { learningRate, warmupSteps, decay } = optimizer;
  const schedule = { warmupSteps, decay, totalSteps: end - start };
  return (step) => learningRate * scheduleFactor(step - start, schedule);
}
