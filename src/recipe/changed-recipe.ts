import { isAbsolute, relative } from 'node:path';
import { stringify } from 'yaml';
import { isObject } from '../base/is-object.js';
import { canonicalJson } from './fingerprint.js';
import type { Recipe } from './recipe.js';

/**
 * A recipe's file that says in what it differs from another, which it `extends`. Lists replace those of the parent, so
 * one in which anything differs is written whole.
 *
 * @param parent as `extends` names it: a built-in recipe, or a path from the folder of the new file
 */
export function changedRecipe(
  { base, changed, description }: { base: Recipe; changed: Recipe; description: string },
  parent: string,
): string {
  const { name: _, description: __, ...before } = base;
  const { name: ___, description: ____, ...after } = changed;
  return stringify({ extends: parent, description, ...difference(before, after) }, { lineWidth: 120 });
}

/** How a file in `folder` names a recipe: built-in ones by name, others by path. */
export function extendsFrom(folder: string, nameOrPath: string): string {
  if (!/\.ya?ml$/.test(nameOrPath) || isAbsolute(nameOrPath)) return nameOrPath;
  return relative(folder, nameOrPath);
}

/** What `after` says that `before` does not; `null` takes back what only `before` says. */
function difference(before: object, after: object): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before, after].map((side) => (side as Record<string, unknown>)[key]);
    if (canonicalJson(was ?? null) === canonicalJson(is ?? null)) continue;
    changes[key] = isObject(was) && isObject(is) ? difference(was, is) : (is ?? null);
  }
  return changes;
}
