import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { writeJsonFile } from '../base/json-file.js';
import { canonicalJson } from '../recipe/fingerprint.js';
import { loadModules } from '../recipe/modules.js';
import type { Recipe } from '../recipe/recipe.js';
import type { ReadOptions } from '../recipe/schema/choice.js';
import type { HeldOut } from './collection/held-out.js';
import type { DataFingerprint } from './data-fingerprint.js';
import { locateData } from './locate-data.js';
import { RunDirectory } from './run-directory.js';
import { upgradeRecipe } from './upgrade-recipe.js';

/** `run.json`: what a run is, so that any process can join it knowing nothing but its folder. */
export interface RunDescription {
  format: 1;
  /** The dataset's path, and the split that is learned from. */
  data: string;
  /** The path as it was typed, where that was not absolute. */
  dataAsGiven?: string;
  split: string;
  recipe: Recipe;
  recipeFingerprint: string;
  /** Queries that were held out of the split that is learned from, where the collection had none to measure on. */
  heldOut?: HeldOut;
  /**
   * The model as published (its folder or name), where the run starts from a part of it: fewer layers, shorter texts,
   * another head.
   */
  published?: string;
  /** What the collection was when the run began; runs from before it was recorded have none. */
  dataFingerprint?: DataFingerprint;
  createdBy: string;
  /** Of everything but `data` and `dataAsGiven`; runs of earlier versions have none. */
  checksum?: string;
}

const RUN_FILE = 'run.json';

/** Whether a folder holds a run. */
export async function isRun(path: string): Promise<boolean> {
  return exists(new RunDirectory(path).file(RUN_FILE));
}

/** Writes `run.json` with a checksum of all but where the collection is, which may be changed by hand. */
export async function writeRunDescription(run: RunDirectory, description: RunDescription): Promise<void> {
  await writeJsonFile(run.file(RUN_FILE), { ...description, checksum: checksumOf(description) });
}

function checksumOf(description: Partial<RunDescription>): string {
  const { data: _, dataAsGiven: __, checksum: ___, ...rest } = description;
  return createHash('sha256').update(canonicalJson(rest)).digest('hex');
}

function checkUnchanged(run: RunDirectory, description: RunDescription): void {
  const { checksum } = description;
  if (checksum === undefined || checksum === checksumOf(description)) return;
  throw new NearmissError(
    `${run.file(RUN_FILE)}: the file is damaged: its content does not match its checksum`,
    {
      hint: 'restore it from a copy, or start another run; only where the collection is (data) may be changed by hand',
    },
  );
}

/**
 * Reads what a run is, to look at it: the modules that its recipe names are not run, and kinds that they would register
 * stand there as they are.
 */
export async function readRunDescription(run: RunDirectory): Promise<RunDescription> {
  const description = await readStoredDescription(run);
  const recipe = await readRecipe(description.recipe, run, { unknownKinds: true });
  return { ...description, recipe };
}

/** The same with the recipe as the file has it: an earlier version's may lack settings. */
export async function readStoredDescription(
  run: RunDirectory,
): Promise<Omit<RunDescription, 'recipe'> & { recipe: unknown }> {
  const description = await run.readJson<RunDescription>(RUN_FILE);
  if (description?.format === 1) {
    checkUnchanged(run, description);
    return { ...description, data: run.data ?? (await locateData(run.path, description)) };
  }
  const inIt = await runsIn(run.path);
  throw new NearmissError(`${run.path}: not a run: expected run.json in it`, {
    hint:
      inIt.length > 0
        ? `runs in it: ${inIt.join(', ')}`
        : 'start one with `nearmiss train --data DIR --recipe NAME --out RUN`',
  });
}

/** The runs that lie in a folder, for whoever named that. */
async function runsIn(folder: string): Promise<string[]> {
  const paths = (await readdir(folder).catch(() => [])).sort().map((name) => join(folder, name));
  const found = await Promise.all(paths.map(isRun));
  return paths.filter((_, nth) => found[nth]);
}

/** Reads what a run is, to take part in it: runs the modules that its recipe names, and knows every kind. */
export async function joinRun(run: RunDirectory): Promise<RunDescription> {
  const description = await readRunDescription(run);
  await loadModules(description.recipe.use);
  return { ...description, recipe: await readRecipe(description.recipe, run) };
}

/** A run from before a setting existed goes on with the setting's default. */
async function readRecipe(stored: unknown, run: RunDirectory, options?: ReadOptions): Promise<Recipe> {
  // Every axis's kinds come with it: not for whoever only asks whether something is a run.
  const { recipeSchema } = await import('../recipe/schema/schema.js');
  const recipe = upgradeRecipe(stored);
  const { data, error } = recipeSchema(options).safeParse(recipe);
  if (data) return data;
  const { fromIssues } = await import('../recipe/problems.js');
  const [{ keys, message, hint }] = fromIssues(error.issues, recipe);
  throw new NearmissError(`${run.file(RUN_FILE)}: recipe.${keys.join('.')}: ${message}`, {
    hint: `run.json was changed by hand, or made by a newer nearmiss: restore it, or start another run${hint ? ` (${hint})` : ''}`,
  });
}
