import { basename } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { isObject } from '../../base/is-object.js';
import { readUtf8 } from '../../base/read-bytes.js';
import { FILE_FORMAT_SUMMARIES, type FileFormatName } from '../format-names.js';
import type { FileOptions } from '../formats.js';
import { hasTextAlone } from '../readers/fields.js';
import { TOPIC } from '../readers/trec-topics.js';
import { detectPairs } from './detect-pairs.js';
import { detectTable } from './detect-table.js';
import type { Detected, Said } from './detected.js';
import { refuseForeign } from './foreign-files.js';
import { emptyRow, recordsOf } from './named-records.js';
import { parseOrNothing } from './parse-or-nothing.js';

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
  const whole = parseOrNothing(lines.join('\n'));
  const start = parseOrNothing(lines.find((line) => line.trim() !== '') ?? '');
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

async function detectWorkbook(file: string, role: FileOptions['role'], said: Said): Promise<Detected> {
  const { xlsxHeader } = await import('../readers/office/xlsx-records.js');
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
  const list = parseOrNothing(start);
  if (Array.isArray(list) && list.length > 0 && !isObject(list[0])) return 'colbert';
  return /"positive_ctxs"/.test(lines.join('\n')) ? 'dpr' : undefined;
}

function detectObject(line: string): FileFormatName | undefined {
  const record = parseOrNothing(line);
  const fields = isObject(record) ? Object.keys(record) : [];
  if (fields.includes('positive_ctxs')) return 'dpr-jsonl';
  if (fields.includes('positive_passages') || fields.includes('positive_document_ids')) return 'tevatron';
  return fields.includes('pos') ? 'flagembedding' : undefined;
}
