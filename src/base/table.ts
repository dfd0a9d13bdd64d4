import { printable } from './printable.js';

/** How a table is written: aligned text, a Markdown table or a LaTeX tabular (booktabs). */
export type TableFormat = 'text' | 'markdown' | 'latex';

export interface Table {
  /** Titles of the columns. */
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Which columns hold numbers and are aligned to the right. */
  numeric: readonly boolean[];
}

/** Writes a table; the cells must already be in the format's own markup. */
export function formatTable(table: Table, format: TableFormat = 'text'): string {
  if (format === 'markdown') return markdownTable(table);
  if (format === 'latex') return latexTable(table);
  return textTable(table);
}

/** Protects characters that have a meaning in LaTeX or in Markdown tables. */
export function escapeCell(text: string, format: TableFormat): string {
  if (format === 'latex') {
    return text
      .replace(/\\/g, '\\textbackslash ')
      .replace(/[&%$#_{}]/g, '\\$&')
      .replace(/\^/g, '\\^{}')
      .replace(/~/g, '\\~{}');
  }
  return format === 'markdown' ? text.replace(/[\\|*_<>`]/g, '\\$&') : text;
}

function textTable(table: Table): string {
  const { numeric } = table;
  const [header, ...rows] = [table.header, ...table.rows].map((cells) => cells.map(printable));
  const widths = header.map((title, c) => Math.max(width(title), ...rows.map((row) => width(row[c]))));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, c) => {
        const blanks = ' '.repeat(widths[c] - width(cell));
        return numeric[c] ? blanks + cell : cell + blanks;
      })
      .join('  ')
      .trimEnd();
  return `${[header, ...rows].map(line).join('\n')}\n`;
}

function markdownTable({ header, rows, numeric }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = line(numeric.map((right) => (right ? '---:' : '---')));
  return `${[line(header), rule, ...rows.map(line)].join('\n')}\n`;
}

function latexTable({ header, rows, numeric }: Table): string {
  const line = (cells: readonly string[]): string => `${cells.join(' & ')} \\\\`;
  return [
    `\\begin{tabular}{${numeric.map((right) => (right ? 'r' : 'l')).join('')}}`,
    '\\toprule',
    line(header),
    '\\midrule',
    ...rows.map(line),
    '\\bottomrule',
    '\\end{tabular}',
    '',
  ].join('\n');
}

/** Characters, not UTF-16 units. */
function width(text: string): number {
  return [...text].length;
}
