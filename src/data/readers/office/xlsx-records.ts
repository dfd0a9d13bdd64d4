import { NearmissError } from '../../../base/errors.js';
import { type OnProblem, RecordContext } from '../../problem.js';
import type { Located, RecordSource } from '../../sources.js';
import { checkWorkbook } from './check-workbook.js';

/** A sheet of a workbook as texts, without empty rows and without columns that have no name. */
interface Sheet {
  name: string;
  /** The first row that holds something: the names of the columns. */
  header: string[];
  rows: { cells: string[]; line: number }[];
}

/**
 * The rows of a workbook's sheet, its header first. Excel knows no streams: the workbook is in memory while it is read.
 *
 * @param sheet its name. Default: the first one with a row below its header
 */
export function xlsxRows(file: string, sheet: string | undefined): RecordSource<string[]> {
  return {
    file,
    async *read(onProblem): AsyncGenerator<Located<string[]>> {
      const { chosen, others } = await chooseSheet(file, sheet);
      if (others.length > 0) tellOthers(file, chosen, others, onProblem);
      yield { value: chosen.header, file, line: 1 };
      for (const { cells, line } of chosen.rows) yield { value: cells, file, line };
    },
  };
}

/** The names of the columns. */
export async function xlsxHeader(file: string, sheet: string | undefined): Promise<string[]> {
  return (await chooseSheet(file, sheet)).chosen.header;
}

async function chooseSheet(
  file: string,
  wanted: string | undefined,
): Promise<{ chosen: Sheet; others: string[] }> {
  const sheets = await readSheets(file);
  const filled = sheets.filter(({ rows }) => rows.length > 0);
  const names = sheets.map(({ name }) => name).join(', ');
  if (wanted === undefined) {
    const [chosen, ...others] = filled;
    if (chosen !== undefined) return { chosen, others: others.map(({ name }) => name) };
    throw new NearmissError(`${file}: no sheet has rows below the names of its columns (sheets: ${names})`, {
      hint: 'give the columns names in the first row, such as question and answer, and a row to each record',
    });
  }
  const chosen = sheets.find(({ name }) => name === wanted);
  if (chosen !== undefined) return { chosen, others: [] };
  throw new NearmissError(`${file}: no sheet "${wanted}"`, { hint: `its sheets: ${names}` });
}

async function readSheets(file: string): Promise<Sheet[]> {
  const { default: readWorkbook } = await import('read-excel-file/node');
  await checkWorkbook(file);
  const workbook = await readWorkbook(file).catch((error: Error) => {
    throw new NearmissError(`${file}: not a workbook that can be read: ${error.message}`, {
      hint: 'save it in Excel as .xlsx (without a password), or as CSV',
      cause: error,
    });
  });
  return workbook.map(({ sheet, data }) => toSheet(sheet, data));
}

function toSheet(name: string, data: readonly (readonly unknown[])[]): Sheet {
  const [header, ...rows] = data
    .map((cells, i) => ({ cells: cells.map(toText), line: i + 1 }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const named = (header?.cells ?? []).flatMap((column, i) => (column.trim() === '' ? [] : [i]));
  const pick = (cells: readonly string[]): string[] => named.map((i) => cells[i] ?? '');
  return {
    name,
    header: pick(header?.cells ?? []),
    rows: rows.map(({ cells, line }) => ({ cells: pick(cells), line })),
  };
}

function toText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  // A day in Excel is a moment at midnight.
  if (cell instanceof Date) return cell.toISOString().replace(/T00:00:00\.000Z$/, '');
  return String(cell);
}

function tellOthers(file: string, { name }: Sheet, others: readonly string[], onProblem: OnProblem): void {
  new RecordContext(file, 1, onProblem).warning(
    'other-sheets',
    `the sheet "${name}" is read, and not: ${others.join(', ')}`,
    { hint: 'choose with --sheet NAME' },
  );
}
