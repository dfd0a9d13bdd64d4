import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { readLineBatches } from '../../base/lines.js';
import { type OnProblem, RecordContext } from '../problem.js';
import type { Located, RecordSource } from '../sources.js';
import { brokenUtf8Reporter, lineSource } from './record-lines.js';

/** How a table of text is written. */
export interface TableOptions {
  /** `,` `;` or a tab. */
  delimiter: string;
  /** Cells may be quoted, as in CSV; MS MARCO's files hold bare quotation marks and must be read without. */
  quotes: boolean;
  /** The columns' names; without them the first line holds them. */
  columns?: string[];
}

const MAX_RECORD_CHARACTERS = 64 * 1024 * 1024;

/** The rows of a table as objects whose keys are the columns' names. */
export function tableSource<T>(
  file: string,
  options: TableOptions,
  convert: (row: Record<string, string>, at: RecordContext) => T | undefined,
): RecordSource<T> {
  return {
    file,
    async *read(onProblem) {
      let columns = options.columns;
      for await (const { value: cells, line } of cellSource(file, options).read(onProblem)) {
        if (!columns) {
          columns = cells.map((name) => name.trim());
          continue;
        }
        const at = new RecordContext(file, line, onProblem);
        const row = toRow(cells, columns, at);
        const value = row && convert(row, at);
        if (value !== undefined) yield { value, file, line };
      }
    },
  };
}

function cellSource(file: string, { delimiter, quotes }: TableOptions): RecordSource<string[]> {
  if (!quotes) return lineSource(file, (text) => text.split(delimiter));
  return { file, read: (onProblem) => readQuoted(file, delimiter, onProblem) };
}

async function* readQuoted(
  file: string,
  delimiter: string,
  onProblem: OnProblem,
): AsyncGenerator<Located<string[]>> {
  async function* text(): AsyncGenerator<string> {
    const options = { onBrokenUtf8: brokenUtf8Reporter(file, onProblem) };
    for await (const { lines } of readLineBatches(file, options)) yield `${lines.join('\n')}\n`;
  }
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  // A failure reaches the loop below through the destroyed parser.
  pipeline(Readable.from(text()), parser, () => undefined);
  let line = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      // csv-parse tells the line on which a record ends.
      const start = info.lines - record.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0);
      line = info.lines + 1;
      yield { value: record, file, line: start };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    onProblem({
      severity: 'error',
      code: 'broken-csv',
      file,
      line,
      message: `not valid CSV: ${error.message}`,
      hint: 'a quotation mark inside a quoted cell is written twice: ""; bare ones need --format tsv',
    });
  }
}

function toRow(cells: string[], columns: string[], at: RecordContext): Record<string, string> | undefined {
  if (cells.length !== columns.length) {
    return at.error(
      'wrong-columns',
      `expected ${columns.length} columns (${columns.join(', ')}), got ${cells.length}`,
      { hint: 'a text must not contain the separator, or must be quoted (CSV)' },
    );
  }
  return Object.fromEntries(columns.map((name, i) => [name, cells[i]]));
}
