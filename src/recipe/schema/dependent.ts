import { z } from 'zod';
import type { Axis } from '../axis-places.js';

/** What the reference shows of a setting that is read in one way or another. */
interface Shown {
  /** Made when it is asked for: most recipes are read without. */
  as: () => z.ZodType;
  /** Whether a list of the same may stand for it. */
  many?: boolean;
  axis?: Axis;
}

const shownAs = new WeakMap<object, Shown>();

/**
 * A setting that is read by the schema that fits the value: with a union of schemas, a mistake would be told as one of
 * all of them.
 *
 * @param choose the schema for a value
 * @param shown what stands in the reference
 */
export function dependent<T>(
  choose: (value: unknown) => z.ZodType,
  shown: Shown,
): z.ZodPipe<z.ZodUnknown, z.ZodTransform<T, unknown>> {
  const schema = z.unknown().transform((value, context): T => {
    // A recipe is read once or twice: code made for reading it would cost more than it saves.
    const { data, error } = choose(value).safeParse(value, { jitless: true });
    if (!error) return data as T;
    for (const issue of error.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  });
  shownAs.set(schema, shown);
  return schema;
}

/** Makes what a key stands for once. */
export function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

/** How the reference shows a setting, where that depends on its value. */
export function shownOf(schema: object): Shown | undefined {
  return shownAs.get(schema);
}
