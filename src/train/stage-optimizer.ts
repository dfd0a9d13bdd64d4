import { isWeightMatrix, type Optimizer, type ParameterStore, scheduleFactor } from '../engine/index.js';
import { optimizers } from '../engine/optimizer/kinds.js';
import { kindOptions } from '../recipe/kind-options.js';
import type { OptimizerRecipe } from '../recipe/recipe.js';
import type { PlannedStage } from '../run/plan.js';

/** The optimizer that a recipe names, at its beginning. */
export function optimizerOf(
  recipe: OptimizerRecipe,
  parameters: ParameterStore,
  learns: (name: string) => boolean,
): Optimizer {
  const kind = optimizers.get(recipe.name);
  const { weightDecay } = recipe;
  return kind.create(parameters, {
    ...kindOptions(kind, recipe),
    weightDecay,
    decays: isWeightMatrix,
    learns,
  });
}

/** The learning rate at each of the run's steps while a stage lasts: every stage warms up and decays by itself. */
export function learningRateOf({ optimizer, start, end }: PlannedStage): (step: number) => number {
  const { learningRate, warmupSteps, decay } = optimizer;
  const schedule = { warmupSteps, decay, totalSteps: end - start };
  return (step) => learningRate * scheduleFactor(step - start, schedule);
}
