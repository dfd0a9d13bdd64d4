import { z } from 'zod';
import { describe, NearmissError } from '../../base/errors.js';
import { isObject } from '../../base/is-object.js';
import { suggest } from '../../base/suggest.js';
import { FilterBudget } from './filter-budget.js';
import { isScalar, type Scalar } from './scalar.js';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const bound = z.union([z.string(), z.number()]);

/** Every operator, what it takes, and in words for error messages. */
const OPERATORS = {
  $eq: { schema: scalar, takes: 'a text, a number, true, false or null' },
  $ne: { schema: scalar, takes: 'a text, a number, true, false or null' },
  $in: { schema: z.array(scalar), takes: 'an array of texts, numbers, true, false or null' },
  $nin: { schema: z.array(scalar), takes: 'an array of texts, numbers, true, false or null' },
  $gt: { schema: bound, takes: 'a number or a text' },
  $gte: { schema: bound, takes: 'a number or a text' },
  $lt: { schema: bound, takes: 'a number or a text' },
  $lte: { schema: bound, takes: 'a number or a text' },
  $exists: { schema: z.boolean(), takes: 'true or false' },
} as const;

const COMBINATIONS = ['$and', '$or', '$not'] as const;

type Operator = keyof typeof OPERATORS;

/** What one field of the metadata must be; several operators must all hold. */
export type FieldCondition = { [key in Operator]?: z.infer<(typeof OPERATORS)[key]['schema']> };

/**
 * Which documents may be found, by their metadata, in the notation of MongoDB that vector databases share. Several
 * fields must all match. `author.name` reaches into an object; of an array any element may match. Ranges compare
 * numbers with numbers and texts with texts (so ISO dates work).
 *
 * @example
 * const filter: DocumentFilter = {
 *   language: 'en',
 *   year: { $gte: 2000, $lt: 2010 },
 *   $or: [{ topic: { $in: ['heart', 'lung'] } }, { $not: { reviewed: { $exists: true } } }],
 * };
 */
export type DocumentFilter = {
  $and?: readonly DocumentFilter[];
  $or?: readonly DocumentFilter[];
  $not?: DocumentFilter;
  [field: string]: Scalar | FieldCondition | DocumentFilter | readonly DocumentFilter[] | undefined;
};

/** Whether a document with this metadata may be found. */
export type FilterMatcher = (metadata: Record<string, unknown> | undefined) => boolean;

type ValueTest = (value: unknown) => boolean;

/** Filters come from strangers, too: deeper ones than this are refused. */
const MAX_DEPTH = 16;

/**
 * Checks a filter and makes it ready to be asked about many documents.
 *
 * @param where what to call the filter in errors
 * @example
 * const matches = compileFilter({ year: { $gte: 2000 } });
 * matches({ year: 2004 }); // true
 * matches({}); // false
 */
export function compileFilter(filter: unknown, where = 'filter'): FilterMatcher {
  return compile(filter, { where, depth: 0, budget: new FilterBudget(where) });
}

/** Where in a filter a part of it stands, and what the whole may still hold. */
interface Place {
  where: string;
  depth: number;
  budget: FilterBudget;
}

/** The same check as a schema, for requests. */
export const documentFilterSchema = z.record(z.string(), z.unknown()).superRefine((filter, context) => {
  try {
    compileFilter(filter);
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    const hint = error.hint === undefined ? '' : ` (${error.hint})`;
    context.addIssue({ code: 'custom', message: `${error.message}${hint}` });
  }
}) as unknown as z.ZodType<DocumentFilter>;

function compile(filter: unknown, { where, depth, budget }: Place): FilterMatcher {
  if (depth > MAX_DEPTH) {
    throw new NearmissError(`${where}: expected at most ${MAX_DEPTH} levels, got more`, {
      hint: 'use $in instead of nested $or',
    });
  }
  if (!isObject(filter)) {
    throw new NearmissError(`${where}: expected an object such as {"year": 2004}, got ${describe(filter)}`);
  }
  const tests = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => {
      budget.takeField(key);
      return compileEntry(key, value, { where: `${where}.${key}`, depth: depth + 1, budget });
    });
  return (metadata) => tests.every((test) => test(metadata));
}

function compileEntry(key: string, value: unknown, place: Place): FilterMatcher {
  const { where } = place;
  if (key === '$not') {
    const test = compile(value, place);
    return (metadata) => !test(metadata);
  }
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(value) || value.length === 0) {
      throw new NearmissError(`${where}: expected an array of filters, got ${describe(value)}`);
    }
    return key === '$and' ? compileAll(value, place) : compileAny(value, place);
  }
  if (key.startsWith('$')) throw unknownOperator(key, where, COMBINATIONS);
  const test = compileCondition(value, place);
  return (metadata) => test(valueAt(metadata, key));
}

function compileAll(parts: readonly unknown[], place: Place): FilterMatcher {
  const tests = parts.map((part, i) => compile(part, { ...place, where: `${place.where}[${i}]` }));
  return (metadata) => tests.every((test) => test(metadata));
}

/** Parts that ask for values of one field are asked together, however many they are. */
function compileAny(parts: readonly unknown[], place: Place): FilterMatcher {
  const wanted = new Map<string, Scalar[]>();
  const tests: FilterMatcher[] = [];
  for (const [i, part] of parts.entries()) {
    const equality = equalityOf(part);
    if (equality === undefined) {
      tests.push(compile(part, { ...place, where: `${place.where}[${i}]` }));
      continue;
    }
    const { field, values } = equality;
    place.budget.takeField(field);
    place.budget.takeValues(values);
    const known = wanted.get(field);
    if (known) known.push(...values);
    else wanted.set(field, [...values]);
  }
  for (const [field, values] of wanted) {
    place.budget.takeCondition();
    const test = among(values);
    tests.push((metadata) => test(valueAt(metadata, field)));
  }
  return (metadata) => tests.some((test) => test(metadata));
}

/** The field and the values of a filter that asks for nothing but one of them. */
function equalityOf(filter: unknown): { field: string; values: readonly Scalar[] } | undefined {
  if (!isObject(filter)) return undefined;
  const [entry, ...others] = Object.entries(filter);
  if (entry === undefined || others.length > 0) return undefined;
  const [field, condition] = entry;
  if (field.startsWith('$')) return undefined;
  if (isScalar(condition)) return { field, values: [condition] };
  if (!isObject(condition)) return undefined;
  const [operator, ...more] = Object.keys(condition);
  if (more.length > 0) return undefined;
  const operand = condition[operator];
  if (operator === '$eq' && isScalar(operand)) return { field, values: [operand] };
  if (operator === '$in' && Array.isArray(operand) && operand.every(isScalar))
    return { field, values: operand };
  return undefined;
}

function compileCondition(condition: unknown, { where, budget }: Place): ValueTest {
  if (!isObject(condition)) {
    budget.takeCondition();
    if (isScalar(condition)) {
      budget.takeValues([condition]);
      return equals(condition);
    }
    throw new NearmissError(
      `${where}: expected a value or an object of operators, got ${describe(condition)}`,
      {
        hint: 'one of several values: {"$in": ["a", "b"]}',
      },
    );
  }
  const tests = Object.entries(condition).map(([operator, operand]) => {
    if (!Object.hasOwn(OPERATORS, operator)) {
      throw unknownOperator(operator, `${where}.${operator}`, Object.keys(OPERATORS));
    }
    const { schema, takes } = OPERATORS[operator as Operator];
    budget.takeCondition();
    budget.takeValues(Array.isArray(operand) ? operand : [operand]);
    if (!schema.safeParse(operand).success) {
      throw new NearmissError(`${where}.${operator}: expected ${takes}, got ${describe(operand)}`);
    }
    return compileOperator(operator as Operator, operand);
  });
  return (value) => tests.every((test) => test(value));
}

function compileOperator(operator: Operator, operand: unknown): ValueTest {
  switch (operator) {
    case '$eq':
      return equals(operand);
    case '$ne':
      return negate(equals(operand));
    case '$in':
      return among(operand as Scalar[]);
    case '$nin':
      return negate(among(operand as Scalar[]));
    case '$exists':
      return (value) => (value !== undefined) === operand;
    case '$gt':
      return compared(operand, (order) => order > 0);
    case '$gte':
      return compared(operand, (order) => order >= 0);
    case '$lt':
      return compared(operand, (order) => order < 0);
    case '$lte':
      return compared(operand, (order) => order <= 0);
  }
}

/** As in MongoDB, null also matches what is not there. */
function equals(operand: unknown): ValueTest {
  return anyElement((value) => value === operand || (operand === null && value === undefined));
}

function among(operands: readonly Scalar[]): ValueTest {
  const values = new Set<unknown>(operands);
  if (values.has(null)) values.add(undefined);
  return anyElement((value) => values.has(value));
}

function compared(operand: unknown, holds: (order: number) => boolean): ValueTest {
  return anyElement((value) => {
    if (typeof value !== typeof operand) return false;
    const [left, right] = [value as number, operand as number];
    return holds(left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN);
  });
}

function negate(test: ValueTest): ValueTest {
  return (value) => !test(value);
}

function anyElement(test: ValueTest): ValueTest {
  return (value) => (Array.isArray(value) ? value.some(test) : test(value));
}

/** The fields that a filter asks about. */
export function fieldsOf(filter: DocumentFilter): string[] {
  const fields = Object.entries(filter).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (key === '$not') return fieldsOf(value as DocumentFilter);
    if (key === '$and' || key === '$or') return (value as DocumentFilter[]).flatMap(fieldsOf);
    return [key];
  });
  return [...new Set(fields)];
}

/** A field by its whole name, else by its path through objects. */
export function valueAt(metadata: unknown, field: string): unknown {
  if (!isObject(metadata)) return undefined;
  if (Object.hasOwn(metadata, field)) return metadata[field];
  const dot = field.indexOf('.');
  if (dot < 0) return undefined;
  const head = field.slice(0, dot);
  return Object.hasOwn(metadata, head) ? valueAt(metadata[head], field.slice(dot + 1)) : undefined;
}

function unknownOperator(operator: string, where: string, known: readonly string[]): NearmissError {
  const meant = suggest(operator, known);
  return new NearmissError(`${where}: expected one of ${known.join(', ')}, got "${operator}"`, {
    hint: meant && `did you mean "${meant}"?`,
  });
}
