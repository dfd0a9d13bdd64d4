import type { DocumentFields, FilterTree } from '../filter-tree.js';

/** Where the parts of a document's fields are in a point's payload. */
export const PAYLOAD = { texts: 's', numbers: 'n', flags: 'b', present: 'has', nulls: 'null' } as const;

type FieldType = 'texts' | 'numbers' | 'flags';

/** A condition or a filter of Qdrant, as JSON. */
export type Clause = Record<string, unknown>;

const NOTHING: Clause = { has_id: [] };

/** A document's fields as payload. */
export function payloadOf(fields: DocumentFields): Record<string, unknown> {
  const named = (values: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(values).map(([field, value]) => [fieldKey(field), value]));
  return {
    [PAYLOAD.texts]: named(fields.texts),
    [PAYLOAD.numbers]: named(fields.numbers),
    [PAYLOAD.flags]: named(fields.flags),
    [PAYLOAD.present]: fields.present,
    [PAYLOAD.nulls]: fields.nulls,
  };
}

/** The path of a field's values: whatever a field is called, no sign in it means something to Qdrant. */
export function fieldPath(type: FieldType, field: string): string {
  return `${PAYLOAD[type]}.${fieldKey(field)}`;
}

function fieldKey(field: string): string {
  return `f_${field.replace(/[^A-Za-z0-9_]/gu, (sign) => `-${sign.codePointAt(0)!.toString(16)}-`)}`;
}

/**
 * A filter in Qdrant's terms. Qdrant has no ranges of texts: `textsBeyond` says which of a field's texts are in one.
 */
export function qdrantFilter(
  tree: FilterTree,
  textsBeyond: (range: Extract<FilterTree, { compare: unknown }>) => readonly string[],
): Clause {
  const translate = (part: FilterTree): Clause => qdrantFilter(part, textsBeyond);
  if ('all' in tree) return { must: tree.all.map(translate) };
  if ('any' in tree) return anyOf(tree.any.map(translate));
  if ('not' in tree) return { must_not: [translate(tree.not)] };
  const { field } = tree;
  if ('exists' in tree) return { must: [{ key: PAYLOAD.present, match: { value: field } }] };
  if ('isNull' in tree) return { must: [{ key: PAYLOAD.nulls, match: { value: field } }] };
  if ('values' in tree) return anyOf(equalities(field, tree.values));
  const { compare, bound } = tree;
  if (typeof bound === 'string') return anyOf(equalities(field, textsBeyond(tree)));
  return { must: [{ key: fieldPath('numbers', field), range: { [compare.slice(1)]: bound } }] };
}

/** The texts of a field that a filter compares with bounds. */
export function textRanges(tree: FilterTree): string[] {
  if ('all' in tree) return tree.all.flatMap(textRanges);
  if ('any' in tree) return tree.any.flatMap(textRanges);
  if ('not' in tree) return textRanges(tree.not);
  return 'compare' in tree && typeof tree.bound === 'string' ? [tree.field] : [];
}

function equalities(field: string, values: readonly (string | number | boolean)[]): Clause[] {
  const texts = values.filter((value) => typeof value === 'string');
  return [
    ...(texts.length > 0 ? [{ key: fieldPath('texts', field), match: { any: texts } }] : []),
    ...values.flatMap((value): Clause[] => {
      // Of numbers only ranges compare 3 and 3.0, and fractions at all.
      if (typeof value === 'number') {
        return [{ key: fieldPath('numbers', field), range: { gte: value, lte: value } }];
      }
      return typeof value === 'boolean' ? [{ key: fieldPath('flags', field), match: { value } }] : [];
    }),
  ];
}

/** An empty `should` would let everything through. */
function anyOf(clauses: readonly Clause[]): Clause {
  return clauses.length > 0 ? { should: clauses } : { must: [NOTHING] };
}
