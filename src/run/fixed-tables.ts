import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { exists } from '../base/files.js';
import { canonicalJson } from '../recipe/fingerprint.js';
import type { NegativesRecipe } from '../recipe/recipe.js';
import type { RunDirectory } from './run-directory.js';

/** Runs from before tables had their settings in the name have one table a source, whatever its settings. */
const TABLE_NAME = /^(?:bm25|static)(?:-[0-9a-f]{8})?$/;

/**
 * The folder under `negatives/` of candidates that do not change while a run lasts: `bm25-3fa94c1e`. Sources that are
 * mined alike share one, those mined otherwise never do. A file counts by its path, not by what is in it: its
 * candidates are copied into the run, which goes on with them whatever becomes of the file.
 */
export function fixedTableName({ count: _, sampling: __, ...mined }: NegativesRecipe): string {
  const hash = createHash('sha256').update(canonicalJson(mined)).digest('hex');
  return `${mined.source}-${hash.slice(0, 8)}`;
}

/** The folder of a source's candidates in a run that is only looked at, where there is one. */
export async function findFixedTable(
  run: RunDirectory,
  recipe: NegativesRecipe,
): Promise<string | undefined> {
  for (const name of [fixedTableName(recipe), recipe.source]) {
    const folder = run.file('negatives', name);
    if (await exists(folder)) return folder;
  }
  return undefined;
}

/** The names of all such folders that a run has. */
export async function fixedTableNames(run: RunDirectory): Promise<string[]> {
  const names = await readdir(run.file('negatives')).catch(() => []);
  return names.filter((name) => TABLE_NAME.test(name)).sort();
}
