/** A value that a condition compares with. */
export type FilterValue = string | number | boolean;

/**
 * What a filter asks of a document's fields, in few words, so that an engine's translation is short. Of a field with several
 * values any may match; ranges compare numbers with numbers and texts with texts, as UTF-16 code units.
 */
export type FilterTree =
  | { all: readonly FilterTree[] }
  | { any: readonly FilterTree[] }
  | { not: FilterTree }
  /** One of these; none of them where there are none. */
  | { field: string; values: readonly FilterValue[] }
  /** It is null, or one of its values is. */
  | { field: string; isNull: true }
  | { field: string; exists: true }
  | { field: string; compare: Comparison; bound: string | number };

export type Comparison = '$gt' | '$gte' | '$lt' | '$lte';

/**
 * A document's metadata as engines compare it: the values of each field by their type, so that every field of an engine has one
 * type. Objects within objects are fields with dots in their names.
 */
export interface DocumentFields {
  texts: Record<string, string[]>;
  numbers: Record<string, number[]>;
  flags: Record<string, boolean[]>;
  /** Fields that there are, objects and empty lists among them. */
  present: string[];
  /** Fields that are null or have one among their values. */
  nulls: string[];
}

/** Whether a value is on the asked side of a bound. */
export function isBeyond(value: string | number, compare: Comparison, bound: string | number): boolean {
  if (typeof value !== typeof bound) return false;
  if (compare === '$gt') return value > bound;
  if (compare === '$gte') return value >= bound;
  if (compare === '$lt') return value < bound;
  return value <= bound;
}
