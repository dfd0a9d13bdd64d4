import { isObject } from '../../../src/base/is-object.js';
import { isScalar, type Scalar } from '../../../src/search/filter/scalar.js';
import type { FacetsAnswer } from '../api.js';

export { isScalar, type Scalar };

/** In the order and words in which a reader chooses them; the names are the API's. */
export const OPERATORS = {
  $eq: 'is',
  $ne: 'is not',
  $gte: 'at least',
  $lte: 'at most',
  $exists: 'is present',
} as const;

export type Operator = keyof typeof OPERATORS;

export interface Condition {
  field: string;
  operator: Operator;
  value: Scalar;
}

/** All conditions must hold; of two with the same field and operator the later counts. */
export function toFilter(conditions: readonly Condition[]): string {
  const filter: Record<string, Partial<Record<Operator, Scalar>>> = {};
  for (const { field, operator, value } of conditions) {
    filter[field] = { ...filter[field], [operator]: value };
  }
  return conditions.length === 0 ? '' : JSON.stringify(filter);
}

/** `undefined` where the filter says more than a list of conditions can. */
export function toConditions(filter: string): Condition[] | undefined {
  if (!filter) return [];
  const parsed = parse(filter);
  if (!isObject(parsed)) return undefined;
  const conditions: Condition[] = [];
  for (const [field, wanted] of Object.entries(parsed)) {
    if (field.startsWith('$')) return undefined;
    const operators = isObject(wanted) ? Object.entries(wanted) : [['$eq', wanted] as const];
    for (const [operator, value] of operators) {
      if (!(operator in OPERATORS) || !isScalar(value)) return undefined;
      conditions.push({ field, operator: operator as Operator, value });
    }
  }
  return conditions;
}

/** The filter in force, and one condition more. */
export function addCondition(filter: string, condition: Condition): string {
  const conditions = toConditions(filter);
  if (conditions) return toFilter([...conditions, condition]);
  const present = parse(filter);
  const added = toFilter([condition]);
  return isObject(present) ? JSON.stringify({ $and: [present, JSON.parse(added)] }) : added;
}

export function describeCondition({ field, operator, value }: Condition): string {
  if (operator === '$exists') return `${field} ${value ? 'is present' : 'is missing'}`;
  return `${field} ${OPERATORS[operator]} ${value === null ? 'null' : String(value)}`;
}

/** Values of the fields that documents have: what there is to filter by. */
export function fieldsOf({ fields }: Pick<FacetsAnswer, 'fields'>): Map<string, Scalar[]> {
  return new Map(fields.map(({ field, values }) => [field, values.map(({ value }) => value)]));
}

/**
 * What the reader's text means: the type that the field has in the documents, else what it looks like. `"2004"` in quotes is
 * always a text.
 */
export function parseValue(typed: string, seen: readonly Scalar[] = []): Scalar {
  const same = seen.find((value) => String(value) === typed);
  if (same !== undefined) return same;
  if (seen.length > 0 && seen.every((value) => typeof value === 'string')) return typed;
  const parsed = parse(typed);
  return isScalar(parsed) ? parsed : typed;
}

/** A metadata value in a few words. */
export function showValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(showValue).join(', ');
  return isScalar(value) ? String(value) : JSON.stringify(value);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
