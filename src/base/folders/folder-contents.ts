import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, NearmissError } from '../errors.js';
import { PARTIAL_PREFIX } from '../partial-path.js';
import { BESIDE_FOLDER } from './cache-folder.js';

/** What the folder that a command writes can hold. Whatever else lies there is somebody's own and is never removed. */
export interface FolderContents {
  /** For messages, e.g. `a BEIR folder`. */
  readonly what: string;
  /** Matches the path of each of its files, from the folder on and with `/` between names. */
  readonly files: RegExp;
}

/** The pattern of files with these names. */
export function filesNamed(...names: string[]): RegExp {
  return new RegExp(`^(${names.map((name) => name.replaceAll('.', '\\.')).join('|')})$`);
}

/** Finder leaves it in any folder that was looked at. */
const LITTER = '.DS_Store';

/** Refuses a folder that holds anything that is not of such contents, and a file; one that is missing is fine. */
export async function checkContents(folder: string, { what, files }: FolderContents): Promise<void> {
  const info = await stat(folder).catch(() => undefined);
  if (!info) return;
  if (!info.isDirectory()) {
    throw new NearmissError(`${folder}: expected a folder, got a file`, {
      hint: 'choose another name, or remove the file',
    });
  }
  const foreign = await foreignFile(folder, files);
  if (foreign === undefined) return;
  throw new NearmissError(`${folder}: expected ${what} and nothing else, got ${foreign}`, {
    hint: `${foreign} would be lost or mixed up: move it away, or choose another folder`,
  });
}

async function foreignFile(folder: string, files: RegExp, within = ''): Promise<string | undefined> {
  for (const entry of await list(join(folder, within))) {
    const path = `${within}${entry.name}`;
    if (path === BESIDE_FOLDER || entry.name === LITTER || entry.name.startsWith(PARTIAL_PREFIX)) continue;
    const foreign = entry.isDirectory()
      ? await foreignFile(folder, files, `${path}/`)
      : files.test(path)
        ? undefined
        : path;
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

async function list(folder: string) {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}
