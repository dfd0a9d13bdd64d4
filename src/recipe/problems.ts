import type { z } from 'zod';
import { describe, NearmissError, UsageError } from '../base/errors.js';
import { suggest } from '../base/suggest.js';
import { axisAt, optionsOn } from './axis-places.js';
import { type Keys, nearestOrigin, type OriginMap, plain, SET_ORIGIN } from './origin-tree.js';
import { pathText } from './paths.js';
import { fieldsBelow, recipeFields } from './schema/fields.js';

/** What is wrong with a recipe, and where. */
export interface Problem {
  /** An `error` cannot be trained; a `warning` can, but is hardly meant. */
  level: 'error' | 'warning';
  keys: Keys;
  message: string;
  hint?: string;
}

/** Puts what the schema found into words: where, what was expected, what was got. */
export function fromIssues(issues: readonly z.core.$ZodIssue[], raw: unknown): Problem[] {
  return issues.flatMap((issue): Problem[] => {
    const keys = issue.path;
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownSetting([...keys, key], raw));
    }
    if (issue.code === 'custom') {
      return [{ level: 'error', keys, message: issue.message, hint: issue.params?.hint }];
    }
    const got = valueAt(raw, keys);
    const values = issue.code === 'invalid_value' ? issue.values.map(String) : [];
    const near = typeof got === 'string' ? suggest(got, values) : undefined;
    const hint = near ? `did you mean ${near}?` : ofYourOwn(keys, got);
    return [
      {
        level: 'error',
        keys,
        message: `expected ${issue.message}, got ${describe(got)}`,
        ...(hint && { hint }),
      },
    ];
  });
}

/** One error that tells all problems; it is about the command line where that alone is to blame. */
export function recipeError(problems: readonly Problem[], root: OriginMap): NearmissError {
  const raw = plain(root);
  const lines = problems.map(({ keys, message }) => `${located(root, raw, keys)}: ${message}`);
  const origins = problems.map(({ keys }) => nearestOrigin(root, keys));
  const ErrorClass = origins.every((origin) => origin === SET_ORIGIN) ? UsageError : NearmissError;
  if (problems.length === 1) return new ErrorClass(lines[0], { hint: problems[0].hint });
  const hinted = lines.map((line, i) => `  ${line}${problems[i].hint ? ` (${problems[i].hint})` : ''}`);
  return new ErrorClass([`${root.origin}: ${problems.length} problems`, ...hinted].join('\n'));
}

export function warningText({ keys, message, hint }: Problem, root: OriginMap): string {
  return `${located(root, plain(root), keys)}: ${message}${hint ? ` (${hint})` : ''}`;
}

function located(root: OriginMap, raw: unknown, keys: Keys): string {
  const path = pathText(raw, keys);
  const origin = nearestOrigin(root, keys);
  return path === '' ? origin : `${origin}: ${path}`;
}

function unknownSetting(keys: Keys, raw: unknown): Problem {
  const name = String(keys.at(-1));
  const above = keys.slice(0, -1);
  const siblings = fieldsBelow(raw, above);
  const foreign = foreignOption(keys, raw, siblings);
  if (foreign) return foreign;
  const prefix = above.length > 0 ? `${pathText(raw, above)}.` : '';
  const near = suggest(name, siblings);
  // The right name in the wrong place, e.g. learningRate at the top.
  const elsewhere = recipeFields().find(({ path }) => !path.includes('[]') && path.endsWith(`.${name}`));
  const hint = near
    ? `did you mean ${prefix}${near}?`
    : elsewhere
      ? `did you mean ${elsewhere.path}?`
      : `${above.length > 0 ? pathText(raw, above) : 'a recipe'} takes ${siblings.join(', ')}`;
  return { level: 'error', keys, message: 'unknown setting', hint };
}

/** What to do about the name of a kind that is not registered. */
function ofYourOwn(keys: Keys, got: unknown): string | undefined {
  const axis = axisAt(keys.slice(0, -1));
  if (!axis || axis.tag !== keys.at(-1) || typeof got !== 'string') return undefined;
  return `a ${axis.registry.axis} of your own comes from a module that the recipe names with use`;
}

/** An option of other kinds of the axis, which the chosen one does not have. */
function foreignOption(keys: Keys, raw: unknown, siblings: readonly string[]): Problem | undefined {
  const name = String(keys.at(-1));
  const above = keys.slice(0, -1);
  const axis = axisAt(above);
  if (!axis || !optionsOn(axis).has(name)) return undefined;
  const chosen = valueAt(raw, [...above, axis.tag]) ?? `this ${axis.registry.axis}`;
  const takes = siblings.filter((sibling) => sibling !== axis.tag);
  return {
    level: 'error',
    keys,
    message: `${chosen} has no ${name}, got ${describe(valueAt(raw, keys))}`,
    hint: takes.length > 0 ? `${chosen} takes ${takes.join(', ')}` : `${chosen} takes no settings`,
  };
}

function valueAt(value: unknown, keys: Keys): unknown {
  return keys.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
