import { NearmissError } from '../../base/errors.js';
import type { ParameterStore } from '../../engine/index.js';

/** A model's parameters and their share of a mix. */
export interface Ingredient {
  parameters: ParameterStore;
  weight: number;
}

/**
 * Fills `target`, which may be one of the ingredients, with their weighted mean. Sums are taken in 64 bits in the order
 * given, so the same ingredients give the same bits; one that has all the weight is copied as it is.
 */
export function mixParameters(target: ParameterStore, ingredients: readonly Ingredient[]): void {
  const total = ingredients.reduce((sum, { weight }) => sum + weight, 0);
  const used = ingredients
    .filter(({ weight }) => weight !== 0)
    .map(({ parameters, weight }) => ({ parameters, share: weight / total }));
  for (const name of target.names) {
    const mixed = target.get(name);
    const parts = used.map(({ parameters, share }) => ({ values: parameters.get(name), share }));
    for (let i = 0; i < mixed.length; i++) {
      let sum = parts[0].values[i] * parts[0].share;
      for (let part = 1; part < parts.length; part++) sum += parts[part].values[i] * parts[part].share;
      mixed[i] = sum;
    }
  }
}

/** Refuses weights that have no mean: every one a number from 0, and not all of them 0. */
export function checkMixWeights(weights: readonly number[], models: number): void {
  if (weights.length !== models) {
    throw new NearmissError(`weights: expected ${models}, one for each model, got ${weights.length}`);
  }
  const wrong = weights.find((weight) => !(Number.isFinite(weight) && weight >= 0));
  if (wrong !== undefined) {
    throw new NearmissError(`weights: expected numbers from 0, got ${wrong}`, {
      hint: 'a mean has no negative parts; only their proportions matter, so 3,1 is .75 and .25',
    });
  }
  if (weights.every((weight) => weight === 0)) {
    throw new NearmissError('weights: expected at least one above 0, got only zeros');
  }
}
