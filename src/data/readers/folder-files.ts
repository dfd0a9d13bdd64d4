import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import picomatch from 'picomatch';
import { hasCode, NearmissError } from '../../base/errors.js';

export interface FolderFilesOptions {
  /** Endings of the wanted files, e.g. `.md`; or what says of a file whether it is wanted. */
  wanted: readonly string[] | ((file: string) => Promise<boolean>);
  /** Only files whose path matches one of these patterns, e.g. `guide/**`. */
  include?: readonly string[];
  /** No files whose path matches one of these patterns. */
  exclude?: readonly string[];
}

export interface FolderFiles {
  /** Paths relative to the folder, with `/`. */
  files: string[];
  /** How many files of each other ending `include` and `exclude` let through, e.g. `{ '.pdf': 2 }`. */
  leftOut: Record<string, number>;
  /** Folders in it that could not be read. */
  unreadable: { folder: string; error: NearmissError }[];
}

/**
 * The files of a folder and all folders in it, in an order that depends on the names alone. Hidden names and
 * `node_modules` are passed over; links are followed, but no folder is entered twice, and none that holds this one.
 */
export async function folderFiles(root: string, options: FolderFilesOptions): Promise<FolderFiles> {
  const included = options.include?.length ? picomatch([...options.include]) : () => true;
  const excluded = options.exclude?.length ? picomatch([...options.exclude]) : () => false;
  const found: FolderFiles = { files: [], leftOut: {}, unreadable: [] };
  const entered = new Set(await foldersAbove(root));
  for await (const path of walk(root, '', entered, found.unreadable)) {
    if (!included(path) || excluded(path)) continue;
    const ending = extname(path).toLowerCase();
    const { wanted } = options;
    const isWanted = typeof wanted === 'function' ? await wanted(join(root, path)) : wanted.includes(ending);
    if (isWanted) found.files.push(path);
    else found.leftOut[ending] = (found.leftOut[ending] ?? 0) + 1;
  }
  return found;
}

/** A link to one of them would bring in all that stands beside the folder. */
async function foldersAbove(root: string): Promise<string[]> {
  const above: string[] = [];
  let path = await realpath(root).catch(() => root);
  while (dirname(path) !== path) {
    path = dirname(path);
    above.push(path);
  }
  return above;
}

async function* walk(
  root: string,
  folder: string,
  entered: Set<string>,
  unreadable: FolderFiles['unreadable'],
): AsyncGenerator<string> {
  const path = join(root, folder);
  const entries = await list(path, entered).catch((error) => {
    const told = unreadableError(path, error);
    if (folder === '') throw told;
    unreadable.push({ folder: path, error: told });
    return [];
  });
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const kind = await kindOf(join(root, relative), entry);
    if (kind === 'folder') yield* walk(root, relative, entered, unreadable);
    else if (kind === 'file') yield relative;
  }
}

/** What a folder holds, by name; nothing where it was entered before. */
async function list(path: string, entered: Set<string>): Promise<Dirent[]> {
  const real = await realpath(path);
  if (entered.has(real)) return [];
  entered.add(real);
  const entries = await readdir(path, { withFileTypes: true });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function kindOf(path: string, entry: Dirent): Promise<'file' | 'folder' | undefined> {
  // A link that leads nowhere is no document.
  const target = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry;
  if (target?.isDirectory()) return 'folder';
  return target?.isFile() ? 'file' : undefined;
}

function unreadableError(path: string, error: unknown): NearmissError {
  if (hasCode(error, 'ENOENT')) {
    return new NearmissError(`${path}: no such folder`, { hint: 'check the path', cause: error });
  }
  if (hasCode(error, 'ENOTDIR')) {
    return new NearmissError(`${path}: expected a folder, got a file`, {
      hint: 'name the folder that holds it',
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new NearmissError(`${path}: cannot read: ${reason}`, {
    hint: 'check that you may read the folder',
    cause: error,
  });
}
