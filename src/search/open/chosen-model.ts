import { rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { makeDirectory } from '../../base/folders/make-directory.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';
import { makesRows, modelKinds } from '../../model/kinds.js';
import { isRun } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { readSearchedRun } from '../../run/searched-run.js';

/**
 * Beside what is made of the collection: the choice goes where the collection goes. `chosen` searches; `coming` is to, once its vectors
 * are made.
 */
const FILES = { chosen: 'chosen-model.json', coming: 'coming-model.json' } as const;

const choice = z.object({ format: z.literal('nearmiss-chosen-model/1'), run: z.string().min(1) });

/**
 * The run whose model somebody chose to search a collection with; undefined where it is the usual one.
 *
 * @param cache of the collection
 */
export async function readChosenRun(
  cache: string,
  which: keyof typeof FILES = 'chosen',
): Promise<string | undefined> {
  const path = join(cache, FILES[which]);
  if (!(await exists(path))) return undefined;
  const hint =
    which === 'chosen'
      ? 'remove the file to search with the model as published again'
      : 'remove the file, and choose the model again';
  const { run } = await readJsonFile(path, choice, { hint });
  return resolve(cache, run);
}

/** Searches a collection with a run's model from now on; with the usual one where none is named. */
export async function writeChosenRun(
  cache: string,
  run: string | undefined,
  which: keyof typeof FILES = 'chosen',
): Promise<void> {
  const path = join(cache, FILES[which]);
  if (run === undefined) return rm(path, { force: true });
  await makeDirectory(cache);
  const within = relative(resolve(cache), resolve(run));
  const isWithin = !within.startsWith('..') && !isAbsolute(within);
  const chosen: z.infer<typeof choice> = {
    format: 'nearmiss-chosen-model/1',
    run: isWithin ? within : resolve(run),
  };
  await writeJsonFile(path, chosen);
}

/** The folder of a model that may be named by the run that it comes from. */
export async function modelFolder(model: string): Promise<string> {
  if (!(await isRun(model))) return model;
  const run = new RunDirectory(model);
  const { kind } = (await readSearchedRun(run)).recipe.model;
  if (!makesRows(kind)) {
    throw new NearmissError(
      `${model}: the run's model is ${modelKinds.get(kind).noun} and makes no vectors`,
      {
        hint: 'name the run of a model that makes vectors, or leave it out',
      },
    );
  }
  if (await exists(run.file('best.json'))) return run.file('best');
  throw new NearmissError(`${model}: this run has no measured model yet`, {
    hint: 'wait for its first measurement, or go on with it',
  });
}
