import type { ZodType } from 'zod';

/** The parts of a schema that lead to what it describes. */
interface Definition {
  type: string;
  innerType?: ZodType;
  in?: ZodType;
  out?: ZodType;
  element?: ZodType;
  valueType?: ZodType;
  options?: readonly ZodType[];
  shape?: Readonly<Record<string, ZodType>>;
}

/**
 * The fields that a schema knows at a path, whichever of its alternatives has them; none where it is no object.
 *
 * @example
 * fieldsAt(z.object({ a: z.array(z.object({ b: z.string() })) }), ['a', 0]); // ['b']
 */
export function fieldsAt(schema: ZodType, path: readonly PropertyKey[]): string[] {
  const definition = schema.def as unknown as Definition;
  const { innerType, in: before, out: after, options = [], shape } = definition;
  const alternatives = [innerType, before, after, ...options].filter((part) => part !== undefined);
  if (alternatives.length > 0) return [...new Set(alternatives.flatMap((part) => fieldsAt(part, path)))];
  if (path.length === 0) return Object.keys(shape ?? {});
  const [key, ...rest] = path;
  const within = definition.element ?? definition.valueType ?? shape?.[String(key)];
  return within === undefined ? [] : fieldsAt(within, rest);
}
