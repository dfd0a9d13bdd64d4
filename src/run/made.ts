import { readdir } from 'node:fs/promises';
import { NearmissError } from '../base/errors.js';
import { madeBy } from '../base/made-reference.js';
import type { RunDirectory } from './run-directory.js';

/** The folder of what a stage makes; the key stands for everything that the content depends on. */
export function madePath(run: RunDirectory, stage: string, key: string): string {
  return run.file('made', `${stage}-${key}`);
}

/** What a stage is to make is not there yet. */
export class NotMadeError extends NearmissError {}

/** The path of a recipe's file: as it is, or what an earlier stage made, its folder or a file in it. */
export async function locateMade(run: RunDirectory, file: string): Promise<string> {
  const made = madeBy(file);
  if (made === undefined) return file;
  const { stage } = made;
  const names = await readdir(run.file('made')).catch(() => []);
  const found = names.filter(
    (name) => name.startsWith(stage) && /^-[0-9a-f]{12}$/.test(name.slice(stage.length)),
  );
  if (found.length === 1) return run.file('made', found[0], ...(made.file === undefined ? [] : [made.file]));
  throw new NotMadeError(`${file}: no stage before has made it`, {
    hint: `a stage called "${stage}" with make: has to come first in the recipe`,
  });
}
