import {
  AdamW,
  isWeightMatrix,
  Lamb,
  type Optimizer,
  type ParameterStore,
  type SessionOptions,
  scheduleFactor,
} from '../engine/index.js';
import { bce, hinge, infoNce, type Loss, nll, rankNet } from '../loss/index.js';
import { CachedStep } from './cached-step.js';
import type { PlannedStage } from './plan.js';
import type { LossRecipe, OptimizerRecipe, Recipe } from './recipe/recipe.js';
import { DirectStep, type Step } from './step.js';
import type { TowerModels } from './tower-models.js';

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

/** Compiles a stage's forward and backward pass. */
export async function stepOf(
  recipe: Recipe,
  stage: PlannedStage,
  models: TowerModels,
  session: SessionOptions,
): Promise<Step> {
  const { spec } = models.settings;
  const { mode, pieces } = recipe.model.passages;
  const options = {
    spec,
    parameters: models.parameters,
    towers: models.towers,
    loss: lossOf(stage.loss),
    scale: 1 / stage.loss.temperature,
    negatives: stage.batchNegatives,
    maxPieces: mode === 'max' ? pieces : 1,
    dropout: spec.config.hiddenDropout > 0 || spec.config.attentionDropout > 0,
    session,
  };
  const { cacheTokens } = stage.batch;
  return cacheTokens > 0
    ? CachedStep.create({ ...options, tokenBudget: cacheTokens })
    : DirectStep.create(options);
}
