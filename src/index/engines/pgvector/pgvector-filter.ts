import type { Comparison, DocumentFields, FilterTree, FilterValue } from '../filter-tree.js';
import { orderedText } from './ordered-text.js';
import type { SqlParameters } from './sql-parameters.js';

/** Where the parts of a document's fields are in its column of fields. */
const PARTS = { texts: 's', numbers: 'n', flags: 'b', present: 'has', nulls: 'null' } as const;

const OPERATORS: Record<Comparison, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

/** A document's fields as JSON; texts and names as they can be kept and compared. */
export function fieldsJson(fields: DocumentFields | undefined): string {
  if (fields === undefined) return '{}';
  const named = <T>(values: Record<string, T[]>, kept: (value: T) => unknown): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(values).map(([field, own]) => [orderedText(field), own.map((value) => kept(value))]),
    );
  return JSON.stringify({
    [PARTS.texts]: named(fields.texts, orderedText),
    [PARTS.numbers]: named(fields.numbers, (number) => number),
    [PARTS.flags]: named(fields.flags, (flag) => flag),
    [PARTS.present]: fields.present.map(orderedText),
    [PARTS.nulls]: fields.nulls.map(orderedText),
  });
}

/** A filter as a condition on the column `fields`. One index finds whatever is asked for with `@>`. */
export function filterSql(tree: FilterTree, parameters: SqlParameters): string {
  const translate = (part: FilterTree): string => filterSql(part, parameters);
  if ('all' in tree) return joined(tree.all.map(translate), 'and', 'true');
  if ('any' in tree) return joined(tree.any.map(translate), 'or', 'false');
  if ('not' in tree) return `not ${translate(tree.not)}`;
  const field = orderedText(tree.field);
  const has = (part: unknown): string => `fields @> ${parameters.add(JSON.stringify(part))}::jsonb`;
  if ('exists' in tree) return has({ [PARTS.present]: [field] });
  if ('isNull' in tree) return has({ [PARTS.nulls]: [field] });
  if ('values' in tree) {
    return joined(
      tree.values.map((value) => has({ [partOf(value)]: { [field]: [kept(value)] } })),
      'or',
      'false',
    );
  }
  const { compare, bound } = tree;
  const own = `fields -> '${partOf(bound)}' -> ${parameters.add(field)}::text`;
  const path = `'$[*] ? (@ ${OPERATORS[compare]} $bound)'`;
  const variables = `${parameters.add(JSON.stringify({ bound: kept(bound) }))}::jsonb`;
  // Of a field that is not there it would be neither true nor false.
  return `coalesce(jsonb_path_exists(${own}, ${path}, ${variables}), false)`;
}

function joined(conditions: readonly string[], by: 'and' | 'or', none: string): string {
  return conditions.length === 0 ? none : `(${conditions.join(` ${by} `)})`;
}

function partOf(value: FilterValue): string {
  if (typeof value === 'string') return PARTS.texts;
  return typeof value === 'number' ? PARTS.numbers : PARTS.flags;
}

function kept(value: FilterValue): FilterValue {
  return typeof value === 'string' ? orderedText(value) : value;
}
