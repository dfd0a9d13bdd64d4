import { isObject } from '../../base/is-object.js';
import { between, oneOf, positive, whole } from '../../base/settings.js';
import { AXES } from '../axis-places.js';
import type { OptimizerRecipe } from '../recipe.js';
import { choice, type ReadOptions } from './choice.js';

/** How every optimizer is led, whichever it is. */
const ANY_OPTIMIZER = {
  learningRate: positive().default(5e-5).describe('the peak, reached after the warm-up'),
  weightDecay: between(0, 1, { open: 'most' })
    .default(0.01)
    .describe('decay of weights, apart from the gradient'),
  clip: positive().default(1).describe('largest global gradient norm'),
  warmupSteps: whole(0).default(0).describe('steps of each stage over which the rate rises linearly'),
  decay: oneOf('linear', 'cosine', 'none').default('linear').describe('how the rate falls after the warm-up'),
};

/**
 * The optimizer of a recipe, and that of a stage, which changes parts of it.
 *
 * @param said what the recipe says of its optimizer, before it is read
 */
export function optimizerSettings(read: ReadOptions, said: unknown) {
  const optimizer = {
    ...read,
    axis: AXES.optimizer,
    meaning: 'how gradients change the weights',
    after: ANY_OPTIMIZER,
  };
  const changes = isObject(said) ? said : {};
  const otherwise = (): string => 'adamw';
  return {
    ofRecipe: choice<OptimizerRecipe>({ ...optimizer, otherwise }),
    ofStage: choice<Partial<OptimizerRecipe>>({
      ...optimizer,
      otherwise: () => String(changes[AXES.optimizer.tag] ?? otherwise()),
      changes,
    }),
  };
}
