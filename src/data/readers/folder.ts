import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { DEFAULT_MAX_WORDS } from '../../text/passage-limits.js';
import { type SplitTextOptions, splitText } from '../../text/split-text.js';
import type { Dataset, Document } from '../dataset.js';
import { describeLeftOut } from '../left-out.js';
import type { OnProblem, Problem } from '../problem.js';
import type { Located, Sources } from '../sources.js';
import { SourcesDataset } from '../sources-dataset.js';
import { type FolderFiles, folderFiles } from './folder-files.js';
import { passagesOf } from './passages.js';
import { reportUnreadable } from './text-file.js';
import { readSections } from './texts/kinds.js';
import { isPage, SavedSite } from './texts/saved-site.js';
import { CODE_EXTENSIONS, TEXT_EXTENSIONS } from './texts/text-endings.js';

export interface OpenFolderOptions {
  /** Words of a passage at most. Default 200. */
  maxWords?: number;
  /** Words that a passage repeats from the end of the one before it under the same heading. Default 0. */
  overlap?: number;
  /** Only files whose path in the folder matches one of these patterns, e.g. `guide/**`. */
  include?: readonly string[];
  /** No files whose path in the folder matches one of these patterns, e.g. `**\/changelog.md`. */
  exclude?: readonly string[];
  /** Programs are read, too. Default: only where the folder holds nothing else. */
  code?: boolean;
  /** The folder is a saved website: what comes on many pages is left out, and each page is read once. */
  site?: boolean;
}

/** The endings of the files that {@link openFolder} reads. */
export const FOLDER_EXTENSIONS: readonly string[] = TEXT_EXTENSIONS;

/**
 * Opens a folder of Markdown, HTML, PDF and text files, or of programs, as a collection of passages: each stays under one heading and
 * within `maxWords`; one of a single word goes with its neighbour. A passage's id is `path#number`, its title the
 * document's title and the headings above it; `metadata` has `path`, `heading`, `position`, and `anchor` or, of plain
 * text, `line`. Code stands between lines of three backticks, with its indentation. In the id, white space, control characters and `%` of the path are
 * percent-encoded: `my notes.md` gives `my%20notes.md#1`. In memory is one file at a time.
 *
 * @example
 * const dataset = await openFolder('docs', { maxWords: 150, exclude: ['archive/**'] });
 * for await (const { id, title, text } of dataset.documents()) console.log(id, title);
 */
export async function openFolder(
  path: string,
  options: OpenFolderOptions & { onProblem?: OnProblem } = {},
): Promise<Dataset> {
  return new SourcesDataset(await folderSources(path, options), options.onProblem);
}

const HOLDS_TEXTS = 'name a folder with Markdown, HTML, PDF or text files';

/** A folder holds none of the files that are read here. */
export class NoTextFilesError extends NearmissError {}

/** The passages of a folder of texts, as parts to which queries and judgments can be added. */
export async function folderSources(path: string, options: OpenFolderOptions = {}): Promise<Sources> {
  const { maxWords = DEFAULT_MAX_WORDS, overlap = 0, include, exclude } = options;
  // Fails now rather than at the first document.
  splitText('', { maxWords, overlap });
  const found = await findFiles(path, options);
  if (found.files.length === 0) {
    if (found.unreadable.length > 0) throw found.unreadable[0].error;
    const filtered = include?.length || exclude?.length ? ' that include and exclude let through' : '';
    const others = describeLeftOut(found.leftOut);
    const none = others === undefined ? 'no files' : `no texts, ${others}`;
    throw new NoTextFilesError(`${path}: ${none}${filtered}, expected ${FOLDER_EXTENSIONS.join(', ')}`, {
      hint: HOLDS_TEXTS,
    });
  }
  const { length } = found.files;
  await requireText(
    path,
    found.files.map((file) => join(path, file)),
    length === 1 ? 'its only file is' : `all of its ${length} files are`,
  );
  return sourcesOf(path, found, { maxWords, overlap, site: options.site });
}

/** Told now rather than by whoever has begun to serve it. */
async function requireText(path: string, files: readonly string[], all: string): Promise<void> {
  for (const file of files) if (!(await isBlank(file))) return;
  throw new NearmissError(`${path}: no text in it: ${all} empty or blank`, { hint: HOLDS_TEXTS });
}

/** A file that is larger is taken to hold something. */
const LARGEST_BLANK = 1 << 16;

async function isBlank(file: string): Promise<boolean> {
  try {
    const { size } = await stat(file);
    return size <= LARGEST_BLANK && (await readFile(file, 'utf8')).trim() === '';
  } catch {
    // Whoever reads it says why that fails.
    return false;
  }
}

/** The passages of a single text. */
export async function textFileSources(file: string, options: OpenFolderOptions = {}): Promise<Sources> {
  const { maxWords = DEFAULT_MAX_WORDS, overlap = 0 } = options;
  const found = { files: [basename(file)], leftOut: {}, unreadable: [] };
  await requireText(file, [file], 'it is');
  const sources = sourcesOf(dirname(file), found, { maxWords, overlap });
  return {
    ...sources,
    name: basename(file),
    documents: sources.documents.map((each) => ({ ...each, file })),
  };
}

/** Texts; programs where they are wanted, or where there is nothing else; pages of a site. */
async function findFiles(
  path: string,
  { include, exclude, code, site }: OpenFolderOptions,
): Promise<FolderFiles> {
  if (site) return folderFiles(path, { wanted: isPage, include, exclude });
  const texts = code ? [...FOLDER_EXTENSIONS, ...CODE_EXTENSIONS] : FOLDER_EXTENSIONS;
  const found = await folderFiles(path, { wanted: texts, include, exclude });
  return found.files.length > 0 || code === false
    ? found
    : folderFiles(path, { wanted: CODE_EXTENSIONS, include, exclude });
}

interface ReadOptions extends SplitTextOptions {
  site?: boolean;
}

function sourcesOf(path: string, found: FolderFiles, options: ReadOptions): Sources {
  return {
    name: basename(resolve(path)),
    format: 'folder',
    documents: [{ file: path, read: (onProblem) => readFiles(path, found, options, onProblem) }],
    queries: [],
    qrels: new Map(),
    examples: new Map(),
    leftOut: found.leftOut,
  };
}

async function* readFiles(
  root: string,
  { files, unreadable }: FolderFiles,
  { site, ...split }: ReadOptions,
  onProblem: OnProblem,
): AsyncGenerator<Located<Document>> {
  for (const { folder, error } of unreadable) reportUnreadable(folder, error, onProblem);
  const pages = site ? await SavedSite.open(root, files, () => undefined) : undefined;
  let first: Problem | undefined;
  const counted: OnProblem = (problem) => {
    first ??= problem;
    onProblem(problem);
  };
  let found = false;
  for (const path of files) {
    const file = join(root, path);
    const document = await (pages ? pages.read(path, counted) : readSections(file, counted));
    if (document === undefined) continue;
    for (const value of passagesOf(path, document, split)) {
      found = true;
      yield { value, file, line: 1 };
    }
  }
  if (found) return;
  const [file] = files.length === 1 ? files : [];
  onProblem({
    severity: 'error',
    code: 'no-text',
    file: file === undefined ? root : join(root, file),
    message: `${file === undefined ? `no text in any of its ${files.length} files` : 'no text in it'}${first ? `: ${first.message}` : ''}`,
    hint: first?.hint ?? HOLDS_TEXTS,
  });
}
