import { isObject } from '../../base/is-object.js';
import type { DocumentFields, FilterTree, FilterValue } from '../../index/engines/filter-tree.js';
import { compileFilter, type DocumentFilter, type FieldCondition, valueAt } from './filter.js';

/** Objects within objects are followed as deep as this. */
const DEPTH = 16;

/** A filter as engines translate it; refuses what {@link compileFilter} refuses. */
export function filterTree(filter: DocumentFilter): FilterTree {
  compileFilter(filter);
  return treeOf(filter);
}

function treeOf(filter: DocumentFilter): FilterTree {
  const parts = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): FilterTree => {
      if (key === '$not') return { not: treeOf(value as DocumentFilter) };
      if (key === '$and') return { all: (value as DocumentFilter[]).map(treeOf) };
      if (key === '$or') return { any: (value as DocumentFilter[]).map(treeOf) };
      return conditionTree(key, value as FieldCondition | FilterValue | null);
    });
  return parts.length === 1 ? parts[0] : { all: parts };
}

function conditionTree(field: string, condition: FieldCondition | FilterValue | null): FilterTree {
  if (typeof condition !== 'object' || condition === null) return among(field, [condition]);
  const parts = Object.entries(condition).map(([operator, operand]): FilterTree => {
    switch (operator as keyof FieldCondition) {
      case '$eq':
        return among(field, [operand as FilterValue]);
      case '$ne':
        return { not: among(field, [operand as FilterValue]) };
      case '$in':
        return among(field, operand as FilterValue[]);
      case '$nin':
        return { not: among(field, operand as FilterValue[]) };
      case '$exists':
        return operand ? { field, exists: true } : { not: { field, exists: true } };
      default:
        return { field, compare: operator as '$gt', bound: operand as string };
    }
  });
  return { all: parts };
}

/** Null also matches what is not there. */
function among(field: string, wanted: readonly (FilterValue | null)[]): FilterTree {
  const values = wanted.filter((value) => value !== null);
  if (values.length === wanted.length) return { field, values };
  return { any: [{ field, values }, { field, isNull: true }, { not: { field, exists: true } }] };
}

/** A document's metadata as engines compare it: what a filter finds under each name. */
export function documentFields(metadata: Record<string, unknown> | undefined): DocumentFields {
  const fields: DocumentFields = { texts: {}, numbers: {}, flags: {}, present: [], nulls: [] };
  const known = new Set<string>();
  const walk = (object: Record<string, unknown>, prefix: string, depth: number): void => {
    for (const [name, child] of Object.entries(object)) {
      const field = `${prefix}${name}`;
      if (!known.has(field)) {
        known.add(field);
        addField(fields, field, valueAt(metadata, field));
      }
      if (isObject(child) && depth > 1) walk(child, `${field}.`, depth - 1);
    }
  };
  walk(metadata ?? {}, '', DEPTH);
  return fields;
}

function addField(fields: DocumentFields, field: string, value: unknown): void {
  if (value === undefined) return;
  fields.present.push(field);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.includes(null)) fields.nulls.push(field);
  const add = <T>(to: Record<string, T[]>, some: T[]): void => {
    if (some.length > 0) to[field] = some;
  };
  add(
    fields.texts,
    values.filter((one) => typeof one === 'string'),
  );
  add(
    fields.numbers,
    values.filter((one) => typeof one === 'number'),
  );
  add(
    fields.flags,
    values.filter((one) => typeof one === 'boolean'),
  );
}
