import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { exists } from '../base/files.js';
import { negatives } from '../negatives/kinds.js';
import { canonicalJson } from '../recipe/fingerprint.js';
import type { NegativesRecipe } from '../recipe/recipe.js';
import type { RunDirectory } from './run-directory.js';

/**
 * Settings and an 8-digit hash of them; runs from before tables had their settings in the name have one table a source,
 * whatever its settings. The other folders there are those of checkpoints.
 */
const TABLE_NAME = /^(?:bm25|static|(?!step-).+-[0-9a-f]{8})$/;

/** What does not decide which candidates there are. */
const DRAWING = ['count', 'sampling'];

/** What every table's name has counted from the beginning, whatever its value. */
const ALWAYS_COUNTED = [
  'source',
  'depth',
  'skipRanks',
  'margin',
  'relativeMargin',
  'dropAnswers',
  'keepDuplicates',
  'file',
];

/**
 * The folder under `negatives/` of candidates that do not change while a run lasts: `bm25-3fa94c1e`. Sources that are
 * mined alike share one, those mined otherwise never do. A file counts by its path, not by what is in it: its
 * candidates are copied into the run, which goes on with them whatever becomes of the file. An option that came later
 * counts where it is not its default, so that runs from before find their tables.
 */
export function fixedTableName(recipe: NegativesRecipe): string {
  const options: z.ZodRawShape = negatives.find(recipe.source)?.options ?? {};
  const isDefault = (name: string, value: unknown): boolean =>
    name in options && canonicalJson([value]) === canonicalJson([z.safeParse(options[name], undefined).data]);
  const mined = Object.entries(recipe).filter(
    ([name, value]) => ALWAYS_COUNTED.includes(name) || !(DRAWING.includes(name) || isDefault(name, value)),
  );
  const hash = createHash('sha256')
    .update(canonicalJson(Object.fromEntries(mined)))
    .digest('hex');
  return `${recipe.source}-${hash.slice(0, 8)}`;
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
