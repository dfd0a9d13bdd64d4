import type { Keys } from './origin-tree.js';

/** A value of a recipe that is printed, compared and given an origin as a whole. */
export interface Leaf {
  keys: Keys;
  value: unknown;
}

/**
 * A path as `--set` takes it and errors show it, with stages by their names: `stages.ance.negatives.0.depth`.
 *
 * @param recipe a recipe, or what might become one
 */
export function pathText(recipe: unknown, keys: Keys): string {
  const stages = (recipe as { stages?: unknown } | undefined)?.stages;
  return keys
    .map((key, depth) => {
      if (depth !== 1 || keys[0] !== 'stages' || !Array.isArray(stages)) return String(key);
      const name = stages[Number(key)]?.name;
      const unique = stages.filter((stage) => stage?.name === name).length === 1;
      return typeof name === 'string' && unique ? name : String(key);
    })
    .join('.');
}

/** Every value that has no mapping below it; a list of plain values is one value. */
export function leaves(value: unknown, keys: Keys = []): Leaf[] {
  if (value === undefined) return [];
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || value === null || (isList && value.every((item) => !isObject(item)))) {
    return [{ keys, value }];
  }
  const entries = Object.entries(value).filter(([, child]) => child !== undefined);
  if (entries.length === 0) return [{ keys, value }];
  return entries.flatMap(([key, child]) => leaves(child, [...keys, isList ? Number(key) : key]));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
