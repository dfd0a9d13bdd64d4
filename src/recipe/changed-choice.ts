import { z } from 'zod';
import { type Axis, optionsOn } from './axis-places.js';
import type { Choice } from './recipe.js';

/**
 * A choice of a recipe of which a stage changes parts. Where the stage names another kind, it does not inherit the options
 * which that does not have, and has the defaults of those that only that has.
 */
export function changedChoice<T extends Choice>(axis: Axis, chosen: T, change: Partial<T> = {}): T {
  const kind = axis.registry.find(String(change[axis.tag] ?? chosen[axis.tag]));
  if (!kind) return { ...chosen, ...change };
  const options = optionsOn(axis);
  const inherited = Object.entries(chosen).filter(([name]) => name in kind.options || !options.has(name));
  const said = { ...Object.fromEntries(inherited), ...change };
  return { ...said, ...z.object(kind.options).parse(said) } as unknown as T;
}
