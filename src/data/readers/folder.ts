import { basename, extname, join, resolve } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { readLineBatches } from '../../base/lines.js';
import { splitText } from '../../text/split-text.js';
import type { Dataset, Document, Qrels, Query } from '../dataset.js';
import { folderFiles } from './folder-files.js';
import { htmlSections, type SectionedDocument } from './html-sections.js';
import { markdownSections } from './markdown-sections.js';

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
  '.txt': (text) => ({ sections: [{ headings: [], text }] }),
};

/** The endings of the files that {@link openFolder} reads. */
export const FOLDER_EXTENSIONS: readonly string[] = Object.keys(PARSERS);

/** Between a document's title and its headings. */
const TRAIL_SEPARATOR = ' > ';

/**
 * Opens a folder of Markdown, HTML and text files as a collection of passages: each stays under one heading and
 * within `maxWords`. A passage's id is `path#number`, its title the document's title and the headings above it;
 * `metadata` has `path`, `heading` and `position`. In memory is one file at a time.
 *
 * @example
 * const dataset = await openFolder('docs', { maxWords: 150, exclude: ['archive/**'] });
 * for await (const { id, title, text } of dataset.documents()) console.log(id, title);
 */
export async function openFolder(path: string, options: OpenFolderOptions = {}): Promise<Dataset> {
  const { maxWords = 200, overlap = 0, include, exclude } = options;
  // Fails now rather than at the first document.
  splitText('', { maxWords, overlap });
  const files = await folderFiles(path, { extensions: FOLDER_EXTENSIONS, include, exclude });
  if (files.length === 0) {
    const filtered = include?.length || exclude?.length ? ' that include and exclude let through' : '';
    throw new NearmissError(`${path}: no files${filtered}, expected ${FOLDER_EXTENSIONS.join(', ')}`, {
      hint: 'name a folder with Markdown, HTML or text files',
    });
  }
  return new FolderDataset(path, files, { maxWords, overlap });
}

class FolderDataset implements Dataset {
  readonly name: string;
  readonly #root: string;
  readonly #files: string[];
  readonly #split: { maxWords: number; overlap: number };

  constructor(root: string, files: string[], split: { maxWords: number; overlap: number }) {
    this.name = basename(resolve(root));
    this.#root = root;
    this.#files = files;
    this.#split = split;
  }

  async *documents(): AsyncGenerator<Document> {
    let found = false;
    for (const path of this.#files) {
      for (const passage of this.#passages(path, await readText(join(this.#root, path)))) {
        found = true;
        yield passage;
      }
    }
    if (found) return;
    throw new NearmissError(`${this.#root}: no text in any of its ${this.#files.length} files`, {
      hint: 'name a folder with Markdown, HTML or text files',
    });
  }

  async *queries(): AsyncGenerator<Query> {}

  async splits(): Promise<string[]> {
    return [];
  }

  async qrels(split: string): Promise<Qrels> {
    throw new NearmissError(`${this.name}: no split "${split}"`, {
      hint: 'a folder of texts has no judgments: give queries and qrels as files of their own',
    });
  }

  *#passages(path: string, content: string): Generator<Document> {
    const extension = extname(path);
    const { title = basename(path, extension), sections } = PARSERS[extension.toLowerCase()](content);
    let position = 0;
    for (const { headings, text } of sections) {
      for (const passage of splitText(text, this.#split)) {
        position++;
        yield {
          id: `${path}#${position}`,
          title: fullTitle(title, headings),
          text: passage,
          metadata: { path, heading: headings.join(TRAIL_SEPARATOR), position },
        };
      }
    }
  }
}

/** The page's title often repeats its first heading. */
function fullTitle(title: string, headings: string[]): string {
  const own = headings.length > 0 && title.includes(headings[0]) ? headings.slice(1) : headings;
  return [title, ...own].join(TRAIL_SEPARATOR);
}

async function readText(path: string): Promise<string> {
  const parts: string[] = [];
  for await (const { lines } of readLineBatches(path)) parts.push(lines.join('\n'));
  return parts.join('\n');
}
