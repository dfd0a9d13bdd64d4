import { basename, extname, join, resolve } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { DEFAULT_MAX_WORDS } from '../../text/passage-limits.js';
import { type SplitTextOptions, splitText } from '../../text/split-text.js';
import type { Dataset, Document } from '../dataset.js';
import type { OnProblem } from '../problem.js';
import type { Located, Sources } from '../sources.js';
import { SourcesDataset } from '../sources-dataset.js';
import { type FolderFiles, folderFiles } from './folder-files.js';
import { htmlSections, type SectionedDocument } from './html-sections.js';
import { markdownSections } from './markdown-sections.js';
import { passagesOf } from './passages.js';
import { readText, reportUnreadable } from './text-file.js';

export interface OpenFolderOptions {
  /** Words of a passage at most. Default 200. */
  maxWords?: number;
  /** Words that a passage repeats from the end of the one before it under the same heading. Default 0. */
  overlap?: number;
  /** Only files whose path in the folder matches one of these patterns, e.g. `guide/**`. */
  include?: readonly string[];
  /** No files whose path in the folder matches one of these patterns, e.g. `**\/changelog.md`. */
  exclude?: readonly string[];
}

/** How each kind of file is read. */
const PARSERS: Record<string, (content: string) => SectionedDocument> = {
  '.md': markdownSections,
  '.markdown': markdownSections,
  '.html': htmlSections,
  '.htm': htmlSections,
  '.txt': (text) => ({ sections: [{ headings: [], text, line: 1 }] }),
};

/** The endings of the files that {@link openFolder} reads. */
export const FOLDER_EXTENSIONS: readonly string[] = Object.keys(PARSERS);

/**
 * Opens a folder of Markdown, HTML and text files as a collection of passages: each stays under one heading and
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

/** A folder holds none of the files that are read here. */
export class NoTextFilesError extends NearmissError {}

/** The passages of a folder of texts, as parts to which queries and judgments can be added. */
export async function folderSources(path: string, options: OpenFolderOptions = {}): Promise<Sources> {
  const { maxWords = DEFAULT_MAX_WORDS, overlap = 0, include, exclude } = options;
  // Fails now rather than at the first document.
  splitText('', { maxWords, overlap });
  const found = await folderFiles(path, { extensions: FOLDER_EXTENSIONS, include, exclude });
  if (found.files.length === 0) {
    if (found.unreadable.length > 0) throw found.unreadable[0].error;
    const filtered = include?.length || exclude?.length ? ' that include and exclude let through' : '';
    throw new NoTextFilesError(`${path}: no files${filtered}, expected ${FOLDER_EXTENSIONS.join(', ')}`, {
      hint: 'name a folder with Markdown, HTML or text files',
    });
  }
  return {
    name: basename(resolve(path)),
    format: 'folder',
    documents: [
      { file: path, read: (onProblem) => readFiles(path, found, { maxWords, overlap }, onProblem) },
    ],
    queries: [],
    qrels: new Map(),
    examples: new Map(),
    leftOut: found.leftOut,
  };
}

async function* readFiles(
  root: string,
  { files, unreadable }: FolderFiles,
  split: SplitTextOptions,
  onProblem: OnProblem,
): AsyncGenerator<Located<Document>> {
  for (const { folder, error } of unreadable) reportUnreadable(folder, error, onProblem);
  let read = 0;
  let found = false;
  for (const path of files) {
    const file = join(root, path);
    const content = await readText(file, onProblem);
    if (content === undefined) continue;
    read++;
    const document = PARSERS[extname(path).toLowerCase()](content);
    for (const value of passagesOf(path, document, split)) {
      found = true;
      yield { value, file, line: 1 };
    }
  }
  if (found || read === 0) return;
  onProblem({
    severity: 'error',
    code: 'no-text',
    file: root,
    message: `no text in any of its ${read} files`,
    hint: 'name a folder with Markdown, HTML or text files',
  });
}
