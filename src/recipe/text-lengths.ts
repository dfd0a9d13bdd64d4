import { NearmissError } from '../base/errors.js';
import type { ModelRecipe } from './recipe.js';

/** Tokens kept of each text, in a recipe that was settled: a run's. */
export function textLengths({ maxLength }: Pick<ModelRecipe, 'maxLength'>): {
  query: number;
  document: number;
} {
  const { query, document } = maxLength;
  if (query !== 'own' && document !== 'own') return { query, document };
  throw new NearmissError("model.maxLength: how long the model's own texts are is known when a run is begun");
}
