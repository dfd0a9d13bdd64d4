import { isNode, parseDocument } from 'yaml';
import { leaves, pathText } from './paths.js';
import type { Recipe } from './recipe.js';

/**
 * The origins that {@link formatConfig} wrote as comments, by path: a run's `recipe.yaml` has them. A value without a
 * comment has no origin.
 */
export function readOrigins(yaml: string, recipe: Recipe): Map<string, string> {
  const document = parseDocument(yaml);
  const origins = new Map<string, string>();
  for (const { keys } of leaves(recipe)) {
    const node = document.getIn(keys, true);
    const origin = isNode(node) ? node.comment?.trim() : undefined;
    if (origin) origins.set(pathText(recipe, keys), origin);
  }
  return origins;
}
