import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import type { Document } from '../../data/dataset.js';
import { detectFormat } from '../../data/detect/detect-format.js';
import { refuseForeign } from '../../data/detect/foreign-files.js';
import { openSources } from '../../data/open.js';
import { formatProblem, type OnProblem, type Problem } from '../../data/problem.js';
import { UNKNOWN_FIELDS } from '../../data/readers/fields.js';
import { passagesOf } from '../../data/readers/passages.js';
import { readSections } from '../../data/readers/texts/kinds.js';
import { isRecordFile } from '../../data/readers/texts/text-endings.js';
import { SourcesDataset } from '../../data/sources-dataset.js';
import { DEFAULT_MAX_WORDS } from '../../text/passage-limits.js';

/** A file that somebody sends: its path in their folder, and what it holds. */
export interface SentFile {
  path: string;
  content: string | Uint8Array;
}

/** What a file gives, and what of it could not be read. */
export interface FileRead {
  documents: Document[];
  problems: string[];
}

/** More are not of use to anybody: the first show what is wrong. */
const MOST_PROBLEMS = 5;

/** A hint of a reader that only the command line can follow: a flag, another command. */
const FOR_THE_SHELL = /(?:^|\s)--[a-z]|nearmiss/;
const NAME_COLUMNS = 'call its columns title and text, or question and answer';

/** What whoever sends a file can do, in brackets. */
function hintFor(path: string, hint: string | undefined): string {
  if (hint === undefined) return '';
  const parts = hint.split('; ').filter((part) => !FOR_THE_SHELL.test(part));
  if (parts.length === 0 && isRecordFile(extname(path).toLowerCase())) parts.push(NAME_COLUMNS);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** Reads a file as `nearmiss serve` reads one on disk: a text as passages, a table or JSON as a document for each record. */
export async function readSentFile({ path, content }: SentFile): Promise<FileRead> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-sent-'));
  const file = join(folder, `file${extname(path)}`);
  const documents: Document[] = [];
  const problems: string[] = [];
  let untold = 0;
  const tell = (message: string, hint: string | undefined): void => {
    const told = `${message}${hintFor(path, hint)}`.replaceAll(file, path);
    if (problems.length < MOST_PROBLEMS) problems.push(told);
    else untold++;
  };
  let lastLine: number | undefined;
  let unknownFields = false;
  const onProblem = (problem: Problem): void => {
    // One thing that is wrong with a record is enough, and so is one record of a table that nobody can tell.
    if (problem.line !== undefined && problem.line === lastLine) return;
    lastLine = problem.line;
    const isUnknown = problem.code === UNKNOWN_FIELDS;
    if (isUnknown && unknownFields) return;
    unknownFields ||= isUnknown;
    tell(formatProblem(problem), problem.severity === 'error' ? problem.hint : undefined);
  };
  try {
    await writeFile(file, content);
    refuseForeign(file);
    const found = isRecordFile(extname(path).toLowerCase())
      ? recordsIn(path, file, onProblem)
      : passagesIn(path, file, onProblem);
    for await (const document of found) documents.push(document);
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    tell(error.message, error.hint);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (documents.length === 0 && problems.length === 0) tell(`${path}: no text in it`, undefined);
  if (untold > 0) problems.push(`${path}: and ${untold} more like these`);
  return { documents, problems };
}

async function* passagesIn(path: string, file: string, onProblem: OnProblem): AsyncGenerator<Document> {
  const sections = await readSections(file, onProblem, path);
  if (sections) yield* passagesOf(path, sections, { maxWords: DEFAULT_MAX_WORDS, overlap: 0 });
}

/** Records without ids are known by the file and their line; an answer is a document under its question. */
async function* recordsIn(path: string, file: string, onProblem: OnProblem): AsyncGenerator<Document> {
  const { lineIds } = await detectFormat(file, 'documents');
  const sources = await openSources(file, { judgments: false });
  for (const examples of sources.examples.values()) {
    for await (const { value, line } of examples.read(onProblem)) {
      for (const [i, { document }] of value.positives.entries()) {
        const id = `${path}#${line}${i === 0 ? '' : `.${i + 1}`}`;
        if (document?.text === undefined) continue;
        yield { id, ...(value.query.text !== undefined && { title: value.query.text }), text: document.text };
      }
    }
  }
  if (sources.documents.length === 0) return;
  for await (const document of new SourcesDataset(
    { ...sources, examples: new Map() },
    onProblem,
  ).documents()) {
    yield lineIds === undefined ? document : { ...document, id: `${path}#${document.id}` };
  }
}
