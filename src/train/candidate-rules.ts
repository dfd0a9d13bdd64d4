import { type CandidateRule, margin, relativeMargin, skipRanks } from '../negatives/index.js';
import type { NegativesRecipe } from './recipe/recipe.js';

/** The guards against unlabelled positives that a recipe asks for. */
export function candidateRules(recipe: NegativesRecipe): CandidateRule[] {
  return [
    ...(recipe.skipRanks > 0 ? [skipRanks(recipe.skipRanks)] : []),
    ...(recipe.margin === undefined ? [] : [margin(recipe.margin)]),
    ...(recipe.relativeMargin === undefined ? [] : [relativeMargin(recipe.relativeMargin)]),
  ];
}
