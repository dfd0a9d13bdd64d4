import { printable } from '../../../base/printable.js';
import type { Hit, SearchMode } from '../../../search/retrievers/retriever.js';
import type { Searcher } from '../../../search/searcher.js';
import { formatPart } from './format-hits.js';
import { bold, dim, type Style } from './style.js';

/** What one mode found. */
export interface Column {
  mode: SearchMode;
  hits: readonly Hit[];
}

const GAP = '  ';
const MIN_COLUMN = 16;

/**
 * The hits of several modes side by side, as wide as the terminal; what all columns show is marked with `=`. How scores
 * came about, where that was asked for, stands under each hit.
 */
export async function formatColumns(
  searcher: Searcher,
  columns: readonly Column[],
  style: Style,
): Promise<string> {
  const number = GAP.length + 3;
  const width = Math.max(
    MIN_COLUMN,
    Math.floor((style.width - number - GAP.length * (columns.length - 1)) / columns.length),
  );
  const titles = await titlesOf(searcher, columns);
  const shared = new Set(
    columns[0].hits
      .map(({ id }) => id)
      .filter((id) => columns.every(({ hits }) => hits.some((h) => h.id === id))),
  );
  const line = (lead: string, cells: readonly string[]): string =>
    `${lead.padStart(3)}${GAP}${cells.map((cell) => cut(cell, width)).join(GAP)}`.trimEnd();
  const rows = Math.max(...columns.map(({ hits }) => hits.length));
  const body = Array.from({ length: rows }, (_, row) => {
    const cells = columns.map(({ hits }) => cell(hits[row], shared));
    const names = columns.map(({ hits }) => `  ${printable(titles.get(hits[row]?.id ?? '') ?? '')}`);
    const second = line('', names);
    const parts = columns.map(({ hits }) =>
      (hits[row]?.parts ?? []).flatMap((part) => wrap(formatPart(part), width - 2)),
    );
    const below = Array.from({ length: Math.max(...parts.map(({ length }) => length)) }, (_, i) => {
      const texts = parts.map((of) => `  ${of[i] ?? ''}`);
      return dim(line('', texts), style);
    });
    return [line(String(row + 1), cells), ...(second.trim() === '' ? [] : [second]), ...below].join('\n');
  });
  const header = bold(
    line(
      '',
      columns.map(({ mode }) => mode),
    ),
    style,
  );
  return `${[header, ...body].join('\n')}\n`;
}

function cell(hit: Hit | undefined, shared: ReadonlySet<string>): string {
  if (!hit) return '';
  return `${shared.has(hit.id) ? '=' : ' '} ${hit.score.toFixed(4)} ${printable(hit.id)}`;
}

/** A document's title, or the beginning of its text. */
async function titlesOf(searcher: Searcher, columns: readonly Column[]): Promise<Map<string, string>> {
  const ids = [...new Set(columns.flatMap(({ hits }) => hits.map(({ id }) => id)))];
  const documents = await searcher.documents.getAll(ids);
  return new Map(ids.map((id, i) => [id, documents[i]?.title || (documents[i]?.text ?? '')]));
}

/** Lines of whole words; a word that is too long is cut later, as every cell is. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : text.padEnd(width);
}
