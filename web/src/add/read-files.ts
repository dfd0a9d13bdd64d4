import { TEXT_EXTENSIONS } from '../../../src/data/readers/texts/text-endings.js';
import type { NewDocument, NewFile } from '../api.js';

/** Files of records: the page reads them itself. */
const RECORDS = ['.json', '.jsonl', '.csv', '.tsv'];
/** Texts are cut into passages by the server. What is not text, such as a PDF, is read by `nearmiss serve FOLDER`. */
const TEXTS = TEXT_EXTENSIONS.filter((ending) => ending !== '.pdf');
export const ACCEPTED: readonly string[] = [...TEXTS, ...RECORDS];

const MOST_CHARACTERS = 1_000_000;

/** A file that cannot be taken, and why. */
export class FileProblem extends Error {}

/** The ending of a file's name, with its dot. */
export function endingOf(path: string): string {
  return /\.[^./\\]+$/.exec(path.toLowerCase())?.[0] ?? '';
}

/** What a file holds: a text, or records that are documents already. */
export function contentOf(path: string, content: string): NewFile | NewDocument[] {
  const ending = endingOf(path);
  if (content.trim() === '') throw new FileProblem(`${path} is empty`);
  if (ending === '.jsonl' || ending === '.json') return recordsOf(path, content, ending === '.jsonl');
  if (ending === '.csv' || ending === '.tsv') return rowsOf(path, content, ending === '.csv' ? ',' : '\t');
  if (content.length > MOST_CHARACTERS) {
    throw new FileProblem(`${path} has ${content.length} characters, more than ${MOST_CHARACTERS}: split it`);
  }
  return { path, text: content };
}

function recordsOf(name: string, content: string, lines: boolean): NewDocument[] {
  const values = lines
    ? content
        .split('\n')
        .flatMap((line, nth) => (line.trim() ? [parse(line, `${name}: line ${nth + 1}`)] : []))
    : [parse(content, name)].flat();
  return values.map((value, nth) => recordOf(value, `${name}: record ${nth + 1}`, `${name}-${nth + 1}`));
}

function recordOf(value: unknown, where: string, id: string): NewDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FileProblem(`${where}: expected an object with "text"`);
  }
  const { _id, id: own = _id, title, text, metadata, ...rest } = value as Record<string, unknown>;
  if (typeof text !== 'string') {
    const found = Object.keys(value).slice(0, 8).join(', ');
    throw new FileProblem(`${where}: expected a field "text", found ${found || 'none'}`);
  }
  const known = typeof metadata === 'object' && metadata !== null ? metadata : {};
  const all = { ...known, ...rest };
  return {
    id: own === undefined || own === null || own === '' ? id : String(own),
    ...(typeof title === 'string' && title && { title }),
    text,
    ...(Object.keys(all).length > 0 && { metadata: all }),
  };
}

function parse(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new FileProblem(`${where}: not JSON: ${(error as Error).message}`);
  }
}

function rowsOf(name: string, content: string, separator: string): NewDocument[] {
  const [header, ...rows] = cells(content, separator);
  const columns = header.map((column) => column.trim().toLowerCase());
  if (!columns.includes('text')) {
    throw new FileProblem(`${name}: expected a column "text", found ${columns.join(', ')}`);
  }
  return rows
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row, nth) =>
      recordOf(
        Object.fromEntries(columns.map((column, at) => [column, row[at] ?? ''])),
        `${name}: row ${nth + 2}`,
        `${name}-${nth + 1}`,
      ),
    );
}

/** As RFC 4180 has them: quotes may hold separators and line ends. */
function cells(content: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < content.length; at++) {
    const character = content[at];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (content[at + 1] === '"') cell += content[at++];
      else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === separator || character === '\n') {
      rows.at(-1)!.push(character === '\n' ? cell.replace(/\r$/, '') : cell);
      cell = '';
      if (character === '\n') rows.push([]);
    } else cell += character;
  }
  if (cell !== '' || rows.at(-1)!.length > 0) rows.at(-1)!.push(cell);
  return rows.filter((row) => row.length > 0);
}
