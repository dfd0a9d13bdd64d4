import {
  CODE_EXTENSIONS,
  RECORD_EXTENSIONS,
  TEXT_EXTENSIONS,
} from '../../../src/data/readers/texts/text-endings.js';
import type { api, NewDocument, NewFile } from '../api.js';
import type { DroppedFile } from './dropped-files.js';

/** Texts, which the server cuts into passages, and files of records. */
const WANTED: readonly string[] = [...TEXT_EXTENSIONS, ...RECORD_EXTENSIONS];
export const ACCEPTED: readonly string[] = [...WANTED, ...CODE_EXTENSIONS];

const MOST_CHARACTERS = 1_000_000;

/** What some files hold. */
export interface FilesRead {
  /** Texts, to be cut by the server when they are sent. */
  texts: NewFile[];
  documents: NewDocument[];
  /** Ids of passages that the files had before and have no more. */
  gone: string[];
  problems: string[];
}

/** Which files are read; programs only where there is nothing else, as of a served folder. */
export function chooseFiles(dropped: readonly DroppedFile[]): { read: DroppedFile[]; problems: string[] } {
  const hasTexts = dropped.some(({ path }) => WANTED.includes(endingOf(path)));
  const read: DroppedFile[] = [];
  const leftOut = new Map<string, string[]>();
  for (const each of dropped) {
    const ending = endingOf(each.path);
    if ((hasTexts ? WANTED : ACCEPTED).includes(ending)) read.push(each);
    else leftOut.set(ending, [...(leftOut.get(ending) ?? []), each.path]);
  }
  return { read, problems: [...leftOut].map(([ending, paths]) => leftOutText(ending, paths)) };
}

export interface ReadFilesOptions {
  /** Reads what is no plain text: the server. */
  ask: typeof api.readFile;
  /** Called before each file with how many are read. */
  onRead: (done: number) => void;
}

export async function readFiles(
  files: readonly DroppedFile[],
  { ask, onRead }: ReadFilesOptions,
): Promise<FilesRead> {
  const found: FilesRead = { texts: [], documents: [], gone: [], problems: [] };
  for (const [i, { path, file }] of files.entries()) {
    onRead(i);
    if (file.size === 0) {
      found.problems.push(`${path} is empty`);
      continue;
    }
    const text = isPlain(path) ? await textOf(file) : undefined;
    if (text !== undefined && text.length <= MOST_CHARACTERS) {
      if (text.trim() === '') found.problems.push(`${path} is empty`);
      else found.texts.push({ path, text });
      continue;
    }
    try {
      const { documents, gone, problems } = await ask(path, file);
      found.documents.push(...documents);
      found.gone.push(...gone);
      found.problems.push(...problems);
    } catch (error) {
      found.problems.push(`${path}: ${(error as Error).message}`);
    }
  }
  return found;
}

/** The ending of a file's name, with its dot. */
function endingOf(path: string): string {
  return /\.[^./\\]+$/.exec(path.toLowerCase())?.[0] ?? '';
}

function isPlain(path: string): boolean {
  const ending = endingOf(path);
  return ending !== '.pdf' && !RECORD_EXTENSIONS.includes(ending);
}

/** Nothing where it is not UTF-8: the server knows what else it may be. */
async function textOf(file: File): Promise<string | undefined> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return undefined;
  }
}

const SHOWN = 3;

/** A folder has many files that are no texts: they are counted, not listed. */
function leftOutText(ending: string, paths: readonly string[]): string {
  const kind = ending === '' ? 'without an ending' : ending;
  const some = paths.slice(0, SHOWN).join(', ');
  return `${paths.length} ${kind} left out: ${some}${paths.length > SHOWN ? ', …' : ''}`;
}
