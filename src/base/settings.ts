import { z } from 'zod';

/**
 * Values that settings take. Each says in words what it expects; the words stand in errors and, as the
 * `expected` of its metadata, in the reference table.
 */

/** A whole number from `least`. */
export function whole(least: number): z.ZodInt {
  const expected = `a whole number from ${least}`;
  return z.int({ error: expected }).min(least, { error: expected }).meta({ expected });
}

/** Any number that is one. */
export function anyNumber(): z.ZodNumber {
  const expected = 'a number';
  return z.number({ error: expected }).meta({ expected });
}

/** A number above 0. */
export function positive(): z.ZodNumber {
  const expected = 'a number above 0';
  return z.number({ error: expected }).gt(0, { error: expected }).meta({ expected });
}

/** A number from `least`, up to `most` or below it. */
export function between(least: number, most: number, options: { open?: 'least' | 'most' } = {}): z.ZodNumber {
  const from = options.open === 'least' ? `above ${least}` : `from ${least}`;
  const to = options.open === 'most' ? `below ${most}` : `up to ${most}`;
  const expected = `a number ${from}${Number.isFinite(most) ? ` ${to}` : ''}`;
  const number = z.number({ error: expected });
  const above =
    options.open === 'least' ? number.gt(least, { error: expected }) : number.min(least, { error: expected });
  if (!Number.isFinite(most)) return above.meta({ expected });
  const both =
    options.open === 'most' ? above.lt(most, { error: expected }) : above.max(most, { error: expected });
  return both.meta({ expected });
}

export function oneOf<const T extends readonly [string, ...string[]]>(
  ...values: T
): z.ZodEnum<{ [K in T[number]]: K }> {
  const expected = values.length === 1 ? values[0] : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return z.enum(values, { error: expected }).meta({ expected }) as z.ZodEnum<{ [K in T[number]]: K }>;
}

export function truth(): z.ZodBoolean {
  const expected = 'true or false';
  return z.boolean({ error: expected }).meta({ expected });
}

export function text(expected = 'a text'): z.ZodString {
  return z.string({ error: expected }).min(1, { error: expected }).meta({ expected });
}

/** Paths of several files or folders. */
export function paths(): z.ZodArray<z.ZodString> {
  return list(text('a path'), PATHS);
}

const PATHS = 'a list of paths';

/** Whether a setting is {@link paths}, with or without a default. */
export function isPaths(setting: z.core.$ZodType): boolean {
  return expectedOf(setting) === PATHS;
}

/** Whether a setting is the path of a file, i.e. `text('a path')`, with or without a default. */
export function isPath(setting: z.core.$ZodType): boolean {
  return expectedOf(setting) === 'a path';
}

/** A model: by the path of a run or a folder, or by the name that others know it by. */
export function modelName(): z.ZodString {
  return text(MODEL);
}

const MODEL = 'a run, a folder of a model, or its name';

/** Whether a setting is {@link modelName}, with or without a default. */
export function isModelName(setting: z.core.$ZodType): boolean {
  return expectedOf(setting) === MODEL;
}

function expectedOf(setting: z.core.$ZodType): unknown {
  const { innerType } = setting._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? expectedOf(innerType) : z.globalRegistry.get(setting)?.expected;
}

/** A list with at least one item. */
export function list<T extends z.ZodType>(item: T, expected: string): z.ZodArray<T> {
  return z.array(item, { error: expected }).min(1, { error: expected }).meta({ expected });
}

/** A mapping in which every key must be known. */
export function mapping<S extends z.ZodRawShape>(fields: S): z.ZodObject<S, z.core.$strict> {
  return z.strictObject(fields, { error: 'a mapping of settings' });
}

type Defaulted<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodType ? z.ZodDefault<S[K]> : never;
};

/** Fields that all have defaults. */
export function defaulted<S extends z.ZodRawShape>(
  fields: S,
  defaults: { [K in keyof S]: z.output<S[K]> },
): Defaulted<S> {
  const entries = Object.entries(fields).map(([name, field]) => [
    name,
    (field as z.ZodType).default(defaults[name] as never),
  ]);
  return Object.fromEntries(entries) as Defaulted<S>;
}

/** A mapping whose fields all have defaults, and which may be left out altogether. */
export function section<S extends z.ZodRawShape>(
  fields: S,
  defaults: { [K in keyof S]: z.output<S[K]> },
): z.ZodPrefault<z.ZodObject<Defaulted<S>, z.core.$strict>> {
  return mapping(defaulted(fields, defaults)).prefault({} as never);
}
