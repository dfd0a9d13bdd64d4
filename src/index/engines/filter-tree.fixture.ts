import { type DocumentFields, type FilterTree, type FilterValue, isBeyond } from './filter-tree.js';

/** What an engine must make of a filter. */
export function holds(tree: FilterTree, fields: DocumentFields): boolean {
  if ('all' in tree) return tree.all.every((part) => holds(part, fields));
  if ('any' in tree) return tree.any.some((part) => holds(part, fields));
  if ('not' in tree) return !holds(tree.not, fields);
  const { field } = tree;
  if ('exists' in tree) return fields.present.includes(field);
  if ('isNull' in tree) return fields.nulls.includes(field);
  const own: FilterValue[] = [
    ...(fields.texts[field] ?? []),
    ...(fields.numbers[field] ?? []),
    ...(fields.flags[field] ?? []),
  ];
  if ('values' in tree) return own.some((value) => tree.values.includes(value));
  const { compare, bound } = tree;
  return own.some((value) => typeof value !== 'boolean' && isBeyond(value, compare, bound));
}
