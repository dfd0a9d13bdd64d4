import { basename } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { readBytes } from '../base/read-bytes.js';
import { FILE_FORMAT_SUMMARIES, type FileFormatName } from './format-names.js';
import type { FileOptions } from './formats.js';
import { isObject } from './readers/record-lines.js';
import { isTriplet } from './readers/sentence-transformers.js';
import { TOPIC } from './readers/trec-topics.js';

/** What the first lines of a file say about it. */
export interface Detected {
  format: FileFormatName;
  /** The columns' names where a table has no header line. */
  columns?: string[];
  /** Between the cells of CSV, where it is not a comma. */
  delimiter?: string;
}

const SNIFF_BYTES = 1 << 20;

/** Recognises a file's format by its first lines and, for tables that look alike, by its name. */
export async function detectFormat(file: string, role: FileOptions['role']): Promise<Detected> {
  const lines = await firstLines(file);
  const start = lines.find((line) => line.trim() !== '')?.trimStart();
  if (start === undefined)
    throw new NearmissError(`${file}: the file is empty`, { hint: 'give a file with records' });
  const name = basename(file).replace(/\.gz$/, '');
  const format =
    detectTopics(start, lines) ??
    detectList(start, lines) ??
    (start.startsWith('{') ? detectObject(start) : undefined) ??
    detectTriplets(start, name);
  if (format) return { format };
  const table = detectTable(start, name, role);
  if (table) return table;
  throw new NearmissError(`${file}: cannot tell the format from ${JSON.stringify(start.slice(0, 40))}`, {
    hint: `if it holds a collection, name its format: nearmiss data import ${file} OUT --format NAME, which is one of ${Object.keys(FILE_FORMAT_SUMMARIES).join(', ')}`,
  });
}

/** Bytes, not lines: a list of gigabytes may be one line. What is broken is reported by the reader of the format. */
async function firstLines(file: string): Promise<string[]> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of readBytes(file)) {
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

function detectList(start: string, lines: string[]): FileFormatName | undefined {
  if (!start.startsWith('[')) return undefined;
  const list = parse(start);
  if (Array.isArray(list) && list.length > 0 && !isObject(list[0])) return 'colbert';
  return /"positive_ctxs"/.test(lines.join('\n')) ? 'dpr' : 'json';
}

function detectObject(line: string): FileFormatName {
  const record = parse(line);
  const fields = isObject(record) ? Object.keys(record) : [];
  if (fields.includes('positive_ctxs')) return 'dpr-jsonl';
  if (fields.includes('positive_passages') || fields.includes('positive_document_ids')) return 'tevatron';
  if (fields.includes('pos')) return 'flagembedding';
  return isTriplet(fields) ? 'sentence-transformers' : 'jsonl';
}

function detectTriplets(line: string, name: string): FileFormatName | undefined {
  return name.endsWith('.csv') && isTriplet(line.split(',')) ? 'sentence-transformers-csv' : undefined;
}

const ID_NAMES = /^(_?id|doc_?id|pid|qid|query[-_]?id)$/i;
const TEXT_NAMES = /^(text|title|contents?|body|passage|query|question)$/i;
const ID = /^\S{1,64}$/;

function detectTable(line: string, name: string, role: FileOptions['role']): Detected | undefined {
  if (name.endsWith('.csv') || !line.includes('\t')) {
    if (line.includes(',')) return { format: 'csv' };
    return line.includes(';') ? { format: 'csv', delimiter: ';' } : undefined;
  }
  const cells = line.split('\t');
  if (cells.join() === 'id,text,title') return { format: 'dpr-passages' };
  const named = (names: RegExp): boolean => cells.some((cell) => names.test(cell.trim()));
  if (named(ID_NAMES) && named(TEXT_NAMES)) return { format: 'tsv' };
  if (cells.length === 2) return { format: 'tsv', columns: ['id', 'text'] };
  if (role === 'queries') return undefined;
  if (cells.length === 3) {
    return { format: cells.every((cell) => ID.test(cell)) ? 'msmarco-triple-ids' : 'msmarco-triples' };
  }
  if (cells.length !== 4 || !ID.test(cells[0])) return undefined;
  const candidates = ID.test(cells[1]) && !cells[1].includes('://');
  return { format: candidates ? 'msmarco-top1000' : 'msmarco-documents' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
