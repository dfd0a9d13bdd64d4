import { basename } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { readLineBatches } from '../base/lines.js';
import { FILE_FORMATS, type FileFormatName, type FileOptions } from './formats.js';
import { isObject } from './readers/record-lines.js';
import { isTriplet } from './readers/sentence-transformers.js';

/** What the first lines of a file say about it. */
export interface Detected {
  format: FileFormatName;
  /** The columns' names where a table has no header line. */
  columns?: string[];
  /** Between the cells of CSV, where it is not a comma. */
  delimiter?: string;
}

/** Recognises a file's format by its first lines and, for tables that look alike, by its name. */
export async function detectFormat(file: string, role: FileOptions['role']): Promise<Detected> {
  const lines = await firstLines(file);
  const start = lines.find((line) => line.trim() !== '')?.trimStart();
  if (start === undefined)
    throw new NearmissError(`${file}: the file is empty`, { hint: 'give a file with records' });
  const name = basename(file).replace(/\.gz$/, '');
  const format =
    detectMarkup(start, lines) ??
    (start.startsWith('{') ? detectObject(start) : undefined) ??
    detectTriplets(start, name);
  if (format) return { format };
  const table = detectTable(start, name, role);
  if (table) return table;
  throw new NearmissError(`${file}: cannot tell the format from ${JSON.stringify(start.slice(0, 40))}`, {
    hint: `name it with --format: ${Object.keys(FILE_FORMATS).join(', ')}`,
  });
}

async function firstLines(file: string): Promise<string[]> {
  // What is broken is reported by the reader of the format, with its line.
  for await (const { lines } of readLineBatches(file, { onBrokenUtf8: () => undefined })) {
    if (lines.some((line) => line.trim() !== '')) return lines;
  }
  return [];
}

function detectMarkup(start: string, lines: string[]): FileFormatName | undefined {
  if (start.startsWith('<')) return 'trec-topics';
  if (!start.startsWith('[')) return undefined;
  const list = parse(start);
  if (Array.isArray(list) && list.length > 0 && !isObject(list[0])) return 'colbert';
  return /"positive_ctxs"/.test(lines.join('\n').slice(0, 1 << 20)) ? 'dpr' : 'json';
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

const COLUMN_NAMES =
  /^(_?id|docid|doc_id|pid|qid|query[-_]?id|text|title|contents?|body|passage|query|question)$/i;
const ID = /^\S{1,64}$/;

function detectTable(line: string, name: string, role: FileOptions['role']): Detected | undefined {
  if (name.endsWith('.csv') || !line.includes('\t')) {
    if (line.includes(',')) return { format: 'csv' };
    return line.includes(';') ? { format: 'csv', delimiter: ';' } : undefined;
  }
  const cells = line.split('\t');
  if (cells.join() === 'id,text,title') return { format: 'dpr-passages' };
  if (cells.filter((cell) => COLUMN_NAMES.test(cell.trim())).length >= 2) return { format: 'tsv' };
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
