import { basename } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { isObject } from '../base/is-object.js';
import { readUtf8 } from '../base/read-bytes.js';
import { FILE_FORMAT_SUMMARIES, type FileFormatName } from './format-names.js';
import type { FileOptions } from './formats.js';
import { fieldAt, fieldNames } from './readers/field-path.js';
import { type FieldNames, hasTextAlone, quoted } from './readers/fields.js';
import { doubtfulPair, type PairFields, usualPair } from './readers/pair-fields.js';
import { TOPIC } from './readers/trec-topics.js';

/** What the first lines of a file say about it. */
export interface Detected {
  format: FileFormatName;
  /** The columns' names where a table has no header line. */
  columns?: string[];
  /** Between the cells of CSV, where it is not a comma. */
  delimiter?: string;
  /** Its first record has a text, but no id. */
  lineIds?: 'no-ids';
}

/** What a person has said about a file. */
export interface Said {
  /** It holds pairs, in these columns. */
  pair?: PairFields;
  columns?: string[];
  delimiter?: string;
  /** The sheet of a workbook. */
  sheet?: string;
  /** Whoever names fields of documents has documents. */
  fields?: FieldNames;
}

const SNIFF_BYTES = 1 << 20;
/** Lines that are looked at to see whether a first column holds ids. */
const SNIFF_LINES = 20;

/** Recognises a file's format by its first lines and, for tables that look alike, by its name. */
export async function detectFormat(
  file: string,
  role: FileOptions['role'],
  said: Said = {},
): Promise<Detected> {
  refuseForeign(file);
  if (/\.xlsx$/i.test(file)) return detectWorkbook(file, role, said);
  const lines = await firstLines(file);
  const start = lines.find((line) => line.trim() !== '')?.trimStart();
  if (start === undefined)
    throw new NearmissError(`${file}: the file is empty`, { hint: 'give a file with records' });
  const name = basename(file).toLowerCase().replace(/\.gz$/, '');
  const rows = lines.filter((line) => line.trim() !== '').slice(0, SNIFF_LINES);
  const special = detectSpecial(start, lines);
  if (special && said.pair === undefined) return { format: special };
  const records = recordsOf(start, lines, { name, ...said });
  const pairs = records && detectPairs(file, records, role, said);
  if (pairs) return pairs;
  const noIds = records &&
    hasTextAlone(records.first, said.fields ?? {}, role) && { lineIds: 'no-ids' as const };
  if (records?.json) {
    if (records.json === 'jsonl') refuseSingleObject(file, lines);
    return { format: records.json, ...noIds };
  }
  const table = detectTable(file, rows, { name, role, said });
  if (table) return { ...table, ...(table.columns === undefined && TABLES.includes(table.format) && noIds) };
  throw new NearmissError(`${file}: cannot tell the format from ${JSON.stringify(start.slice(0, 40))}`, {
    hint: `if it holds a collection, name its format: nearmiss data import ${file} OUT --format NAME, which is one of ${Object.keys(FILE_FORMAT_SUMMARIES).join(', ')}`,
  });
}

/** Tables whose columns are known by their names. */
const TABLES: readonly FileFormatName[] = ['csv', 'tsv'];

/** Many programs write one object around the list of records. */
function refuseSingleObject(file: string, lines: readonly string[]): void {
  const whole = parse(lines.join('\n'));
  const start = parse(lines.find((line) => line.trim() !== '') ?? '');
  const record = isObject(whole) ? whole : undefined;
  const list = Object.keys(record ?? {}).find((name) => {
    const value = record![name];
    return Array.isArray(value) && value.length > 0 && value.every(isObject);
  });
  if (list === undefined && (start !== undefined || record === undefined)) return;
  throw new NearmissError(
    `${file}: expected one record a line, or a list of records, got one JSON object${list === undefined ? '' : ` with the list in its field "${list}"`}`,
    {
      hint: `write ${list === undefined ? 'its records' : 'that list'} to a file of its own, beginning with [`,
    },
  );
}

/** Files of other programs that people have their texts in, and what makes them readable. */
const FOREIGN: [RegExp, string, string][] = [
  [
    /\.(xls|ods|numbers)$/i,
    'a spreadsheet of this kind',
    'save it as .xlsx, or its sheet as CSV, with the names of the columns in the first line',
  ],
  [
    /\.(docx?|odt|rtf|pptx?|epub)$/i,
    'a document of another program',
    'save or convert it as PDF, text, HTML or Markdown',
  ],
];

/** Refuses a file of a program whose files cannot be read, and says what makes it readable. */
export function refuseForeign(file: string): void {
  const [, what, hint] = FOREIGN.find(([ending]) => ending.test(file)) ?? [];
  if (what !== undefined) throw new NearmissError(`${file}: ${what} cannot be read`, { hint });
}

async function detectWorkbook(file: string, role: FileOptions['role'], said: Said): Promise<Detected> {
  const { xlsxHeader } = await import('./readers/office/xlsx-records.js');
  const names = said.columns ?? (await xlsxHeader(file, said.sheet));
  const first = emptyRow(names);
  if (detectPairs(file, { names, first }, role, said)) return { format: 'sentence-transformers-xlsx' };
  return { format: 'xlsx', ...(hasTextAlone(first, said.fields ?? {}, role) && { lineIds: 'no-ids' }) };
}

/** Bytes, not lines: a list of gigabytes may be one line. What is broken is reported by the reader of the format. */
async function firstLines(file: string): Promise<string[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readUtf8(file)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= SNIFF_BYTES) break;
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  return text.split(text.includes('\n') ? /\r?\n/ : '\r');
}

/** Other markup is not a collection: a page that says "not found", say. */
function detectTopics(start: string, lines: string[]): FileFormatName | undefined {
  return start.startsWith('<') && lines.some((line) => TOPIC.test(line)) ? 'trec-topics' : undefined;
}

/** Formats that are known by what only they have. */
function detectSpecial(start: string, lines: string[]): FileFormatName | undefined {
  return (
    detectTopics(start, lines) ??
    (start.startsWith('[') ? detectList(start, lines) : undefined) ??
    (start.startsWith('{') ? detectObject(start) : undefined)
  );
}

function detectList(start: string, lines: string[]): FileFormatName | undefined {
  const list = parse(start);
  if (Array.isArray(list) && list.length > 0 && !isObject(list[0])) return 'colbert';
  return /"positive_ctxs"/.test(lines.join('\n')) ? 'dpr' : undefined;
}

function detectObject(line: string): FileFormatName | undefined {
  const record = parse(line);
  const fields = isObject(record) ? Object.keys(record) : [];
  if (fields.includes('positive_ctxs')) return 'dpr-jsonl';
  if (fields.includes('positive_passages') || fields.includes('positive_document_ids')) return 'tevatron';
  return fields.includes('pos') ? 'flagembedding' : undefined;
}

/** Records whose fields or columns have names. */
interface NamedRecords {
  names: string[];
  /** Its first record; of a table only the names are looked at. */
  first: Record<string, unknown>;
  /** Of JSON, the plain format; else it is a table. */
  json?: 'json' | 'jsonl';
  delimiter?: string;
}

function recordsOf(
  start: string,
  lines: string[],
  { name, columns, delimiter }: Said & { name: string },
): NamedRecords | undefined {
  if (start.startsWith('[')) return jsonRecords('json', firstObject(lines.join('\n')));
  if (start.startsWith('{')) return jsonRecords('jsonl', parse(start));
  const found = delimiter ?? delimiterOf(start, name);
  if (found === undefined) return undefined;
  const names = columns ?? start.split(found).map(unquoted);
  return { names, first: emptyRow(names), delimiter: found };
}

function jsonRecords(json: 'json' | 'jsonl', value: unknown): NamedRecords {
  const first = isObject(value) ? value : {};
  return { json, first, names: Object.keys(first) };
}

function emptyRow(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, '']));
}

/** A list's first object, of which more may follow than was read. */
function firstObject(text: string): unknown {
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    const record = parse(text.slice(text.indexOf('{'), end + 1));
    if (isObject(record)) return record;
  }
  return undefined;
}

/** What parts the header's cells: of several candidates the most frequent outside of quotation marks. */
function delimiterOf(line: string, name: string): string | undefined {
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

/** Pairs, by what was said or by the usual names; where only a person can know, that is asked for. */
function detectPairs(
  file: string,
  { names, first, json, delimiter }: NamedRecords,
  role: FileOptions['role'],
  { pair, fields }: Said,
): Detected | undefined {
  const detected: Detected =
    json === undefined
      ? { format: 'sentence-transformers-csv', ...(delimiter !== ',' && { delimiter }) }
      : { format: json === 'json' ? 'sentence-transformers-json' : 'sentence-transformers' };
  if (pair !== undefined) {
    for (const [flag, wanted] of [
      ['--query-field', pair.query],
      ['--document-field', pair.document],
    ]) {
      if (fieldAt(first, wanted) !== undefined) continue;
      throw new NearmissError(
        `${file}: no column "${wanted}"; columns found: ${fieldNames(first).join(', ')}`,
        {
          hint: `name one of them with ${flag}`,
        },
      );
    }
    return detected;
  }
  if (fields?.text !== undefined || fields?.id !== undefined || fields?.lineIds) return undefined;
  if (usualPair(names) !== undefined) return detected;
  const doubtful = role === 'documents' ? doubtfulPair(names) : undefined;
  if (doubtful === undefined) return undefined;
  const { query, document } = doubtful;
  throw new NearmissError(`${file}: pairs, or documents? columns found: ${names.join(', ')}`, {
    hint: `pairs: --query-field ${quoted(query)} --document-field ${quoted(document)}; documents: --text-field ${quoted(document)}`,
  });
}

const ID_NAMES = /^(_?id|doc_?id|pid|qid|query[-_]?id)$/i;
const TEXT_NAMES = /^(text|title|contents?|body|passage|query|question)$/i;
const ID = /^\S{1,64}$/;

function detectTable(
  file: string,
  rows: readonly string[],
  { name, role, said }: { name: string; role: FileOptions['role']; said: Said },
): Detected | undefined {
  const line = rows[0].trimStart();
  if (name.endsWith('.csv') || !line.includes('\t')) {
    const delimiter = said.delimiter ?? delimiterOf(line, name);
    if (delimiter === undefined) return undefined;
    return { format: 'csv', ...(delimiter !== ',' && { delimiter }) };
  }
  const cells = line.split('\t');
  if (cells.join() === 'id,text,title') return { format: 'dpr-passages' };
  const named = (names: RegExp): boolean => cells.some((cell) => names.test(cell.trim()));
  if (named(TEXT_NAMES) && (named(ID_NAMES) || rows.length > 1)) return { format: 'tsv' };
  if (cells.length === 2) {
    if (said.columns === undefined) checkIds(file, rows, cells);
    return { format: 'tsv', columns: ['id', 'text'] };
  }
  if (role === 'queries') return undefined;
  if (cells.length === 3) {
    return { format: cells.every((cell) => ID.test(cell)) ? 'msmarco-triple-ids' : 'msmarco-triples' };
  }
  if (cells.length !== 4 || !ID.test(cells[0])) return undefined;
  const candidates = ID.test(cells[1]) && !cells[1].includes('://');
  return { format: candidates ? 'msmarco-top1000' : 'msmarco-documents' };
}

/** Of two columns without names the first holds ids; where it holds texts, it would be a strange collection. */
function checkIds(file: string, rows: readonly string[], header: readonly string[]): void {
  if (rows.every((row) => ID.test(row.split('\t')[0].trim()))) return;
  const [query, document] = header.map((name) => quoted(name.trim()));
  const named = header.every((name) => ID.test(name.trim()));
  throw new NearmissError(
    `${file}: expected ids in the first of two columns, got texts${named ? `; columns found: ${header.join(', ')}` : ''}`,
    {
      hint: named
        ? `if they are pairs: --query-field ${query} --document-field ${document}`
        : 'if they are pairs: --columns query,document --query-field query --document-field document',
    },
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
