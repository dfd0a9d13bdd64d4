import { isObject } from '../../base/is-object.js';

/** Objects within objects are followed as deep as this: deeper ones are nobody's filter. */
const DEPTH = 4;

/** The names by which a filter reaches the values of a document's metadata: `author.name` goes into an object. */
export function* fieldPaths(metadata: Record<string, unknown> | undefined): Generator<string> {
  for (const [path] of fieldValues(metadata)) yield path;
}

/** Each name with its value; of an object the values within. */
export function* fieldValues(
  metadata: Record<string, unknown> | undefined,
  prefix = '',
  depth = DEPTH,
): Generator<[path: string, value: unknown]> {
  for (const [name, value] of Object.entries(metadata ?? {})) {
    if (!isObject(value)) yield [`${prefix}${name}`, value];
    else if (depth > 1) yield* fieldValues(value, `${prefix}${name}.`, depth - 1);
  }
}
