import { createHash } from 'node:crypto';
import { leaves, pathText } from './paths.js';
import type { Recipe } from './recipe.js';

/** A setting in which two recipes differ; undefined where one of them does not have it. */
export interface RecipeDifference {
  path: string;
  before: unknown;
  after: unknown;
}

/** JSON with sorted keys and without what is undefined: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * SHA-256 of what a recipe makes happen. Its name and description, and how often evidence is taken, change nothing that
 * is learned and do not count.
 */
export function fingerprintRecipe(recipe: Recipe): string {
  return createHash('sha256')
    .update(canonicalJson(computed(recipe)))
    .digest('hex');
}

/** The settings in which two recipes differ: none exactly when their fingerprints are equal. */
export function diffRecipes(before: Recipe, after: Recipe): RecipeDifference[] {
  const [left, right] = [before, after].map(
    (recipe) =>
      new Map(leaves(computed(recipe)).map(({ keys, value }) => [pathText(recipe, keys), value] as const)),
  );
  const stages = [before, after].map((recipe) => recipe.stages.map(({ name }) => name));
  const differences: RecipeDifference[] = [];
  // Other stages, or the same in another order, would not show in paths that name the stage.
  if (canonicalJson(stages[0]) !== canonicalJson(stages[1])) {
    differences.push({ path: 'stages', before: stages[0], after: stages[1] });
  }
  for (const path of new Set([...left.keys(), ...right.keys()])) {
    const [was, is] = [left.get(path), right.get(path)];
    if (canonicalJson(was) !== canonicalJson(is)) differences.push({ path, before: was, after: is });
  }
  return differences;
}

/** Lists differences for an error: `optimizer.learningRate: 0.00005 → 0.00001`. */
export function formatDifferences(differences: readonly RecipeDifference[]): string {
  const show = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
  return differences.map(({ path, before, after }) => `${path}: ${show(before)} → ${show(after)}`).join('\n');
}

function computed(recipe: Recipe): Omit<Recipe, 'name' | 'description' | 'evidence'> {
  const { name: _, description: __, evidence: ___, ...rest } = recipe;
  return rest;
}
