import { RecordContext } from '../problem.js';
import type { RecordSource } from '../sources.js';
import { readCsv } from './csv-records.js';
import { lineSource } from './record-lines.js';

/** How a table of text is written. */
export interface TextTable {
  /** `,` `;` or a tab. */
  delimiter: string;
  /** Cells may be quoted, as in CSV; MS MARCO's files hold bare quotation marks and must be read without. */
  quotes: boolean;
}

/** A table of text, or one whose rows something else reads. */
export type TableOptions = (TextTable | { rows: RecordSource<string[]> }) & {
  /** The columns' names; without them the first line holds them. */
  columns?: string[];
};

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

function cellSource(file: string, table: TableOptions): RecordSource<string[]> {
  if ('rows' in table) return table.rows;
  const { delimiter, quotes } = table;
  if (!quotes) return lineSource(file, (text) => text.split(delimiter));
  return { file, read: (onProblem) => readCsv(file, delimiter, onProblem) };
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
