import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import picomatch from 'picomatch';
import { hasCode, NearmissError } from '../../base/errors.js';

export interface FolderFilesOptions {
  /** Endings of the wanted files, e.g. `.md`. */
  extensions: readonly string[];
  /** Only files whose path matches one of these patterns, e.g. `guide/**`. */
  include?: readonly string[];
  /** No files whose path matches one of these patterns. */
  exclude?: readonly string[];
}

/**
 * The files of a folder and all folders in it, as paths relative to it with `/`, in an order that depends on the
 * names alone. Hidden names and `node_modules` are left out; links are followed, but no folder is entered twice.
 */
export async function folderFiles(root: string, options: FolderFilesOptions): Promise<string[]> {
  const included = options.include?.length ? picomatch([...options.include]) : () => true;
  const excluded = options.exclude?.length ? picomatch([...options.exclude]) : () => false;
  const found: string[] = [];
  for await (const path of walk(root, '', new Set())) {
    const wanted = options.extensions.includes(extname(path).toLowerCase());
    if (wanted && included(path) && !excluded(path)) found.push(path);
  }
  return found;
}

async function* walk(root: string, folder: string, entered: Set<string>): AsyncGenerator<string> {
  const path = join(root, folder);
  const real = await realpath(path).catch((error) => {
    throw unreadable(path, error);
  });
  if (entered.has(real)) return;
  entered.add(real);
  const entries = await readdir(path, { withFileTypes: true }).catch((error) => {
    throw unreadable(path, error);
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const kind = await kindOf(join(root, relative), entry);
    if (kind === 'folder') yield* walk(root, relative, entered);
    else if (kind === 'file') yield relative;
  }
}

async function kindOf(path: string, entry: Dirent): Promise<'file' | 'folder' | undefined> {
  // A link that leads nowhere is no document.
  const target = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry;
  if (target?.isDirectory()) return 'folder';
  return target?.isFile() ? 'file' : undefined;
}

function unreadable(path: string, error: unknown): NearmissError {
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
