import { NearmissError } from '../../base/errors.js';
import type { FileOptions } from '../formats.js';
import { quoted } from '../readers/fields.js';
import type { Detected, Said } from './detected.js';
import { delimiterOf } from './named-records.js';

const ID_NAMES = /^(_?id|doc_?id|pid|qid|query[-_]?id)$/i;
const TEXT_NAMES = /^(text|title|contents?|body|passage|query|question)$/i;
const ID = /^\S{1,64}$/;

/** A table of which the cells say what it holds, where its names do not. */
export function detectTable(
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
