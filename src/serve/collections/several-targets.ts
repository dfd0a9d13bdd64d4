import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { exists } from '../../base/files.js';
import { isRun } from '../../run/run-description.js';

/**
 * What a folder of runs, indexes and collections holds; undefined where the folder is a collection itself. One that has
 * files of its own is, and so is one whose folders hold plain documents.
 */
export async function collectionsIn(folder: string): Promise<string[] | undefined> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const shown = entries.filter(({ name }) => !name.startsWith('.'));
  if (shown.length === 0 || shown.some((entry) => !entry.isDirectory())) return undefined;
  const paths = shown.map(({ name }) => join(folder, name)).sort();
  const served = await Promise.all(paths.map(isServable));
  return served.some(Boolean) ? paths.filter((_, nth) => served[nth]) : undefined;
}

/** A run that has a model, an index, or a collection in BEIR's layout. */
async function isServable(folder: string): Promise<boolean> {
  if (await isRun(folder)) return exists(join(folder, 'best.json'));
  const found = await Promise.all(
    ['meta.json', 'corpus.jsonl', 'corpus.jsonl.gz'].map((name) => exists(join(folder, name))),
  );
  return found.includes(true);
}

/** A name for each target that can stand in an address; of two that are called alike the later gets a number. */
export function namesOf(targets: readonly string[]): string[] {
  const taken = new Set<string>();
  return targets.map((target) => {
    const plain =
      basename(resolve(target.replace(/\?.*$/, ''))).replace(/[^a-zA-Z0-9._-]+/g, '-') || 'collection';
    let name = plain;
    for (let nth = 2; taken.has(name); nth++) name = `${plain}-${nth}`;
    taken.add(name);
    return name;
  });
}
