import { isObject } from '../../base/is-object.js';
import type { Said } from './detected.js';
import { parseOrNothing } from './parse-or-nothing.js';

/** Records whose fields or columns have names. */
export interface NamedRecords {
  names: string[];
  /** Its first record; of a table only the names are looked at. */
  first: Record<string, unknown>;
  /** Of JSON, the plain format; else it is a table. */
  json?: 'json' | 'jsonl';
  delimiter?: string;
}

export function recordsOf(
  start: string,
  lines: string[],
  { name, columns, delimiter }: Said & { name: string },
): NamedRecords | undefined {
  if (start.startsWith('[')) return jsonRecords('json', firstObject(lines.join('\n')));
  if (start.startsWith('{')) return jsonRecords('jsonl', parseOrNothing(start));
  const found = delimiter ?? delimiterOf(start, name);
  if (found === undefined) return undefined;
  const names = columns ?? start.split(found).map(unquoted);
  return { names, first: emptyRow(names), delimiter: found };
}

function jsonRecords(json: 'json' | 'jsonl', value: unknown): NamedRecords {
  const first = isObject(value) ? value : {};
  return { json, first, names: Object.keys(first) };
}

export function emptyRow(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, '']));
}

/** A list's first object, of which more may follow than was read. */
function firstObject(text: string): unknown {
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    const record = parseOrNothing(text.slice(text.indexOf('{'), end + 1));
    if (isObject(record)) return record;
  }
  return undefined;
}

/** What parts the header's cells: of several candidates the most frequent outside of quotation marks. */
export function delimiterOf(line: string, name: string): string | undefined {
  if (line.includes('\t') && !name.endsWith('.csv')) return '\t';
  const bare = line.replace(/"[^"]*"/g, '');
  const counts = [',', ';', '\t', ...(name.endsWith('.csv') ? ['|'] : [])]
    .map((delimiter) => ({ delimiter, count: bare.split(delimiter).length - 1 }))
    .filter(({ count }) => count > 0);
  return counts.sort((a, b) => b.count - a.count)[0]?.delimiter ?? ofOneColumn(name);
}

/** A table of one column has nothing between its cells; its name says that it is one. */
function ofOneColumn(name: string): string | undefined {
  if (name.endsWith('.csv')) return ',';
  return name.endsWith('.tsv') ? '\t' : undefined;
}

function unquoted(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}
