import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { NearmissError } from '../base/errors.js';
import { type LoadedRecipe, loadRecipe } from './load.js';

/** A folder for recipes of a test file; paths are relative to it in what `failure` returns. */
export function recipeFolder(): {
  write: (name: string, yaml: string) => Promise<string>;
  load: (yaml: string, set?: string[]) => Promise<LoadedRecipe>;
  failure: (yaml: string, set?: string[]) => Promise<{ name: string; message: string; hint?: string }>;
} {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-recipes-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const write = async (name: string, yaml: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, yaml);
    return path;
  };
  const load = async (yaml: string, set?: string[]): Promise<LoadedRecipe> =>
    loadRecipe(await write('my.yaml', yaml), { set });
  const failure = async (
    yaml: string,
    set?: string[],
  ): Promise<{ name: string; message: string; hint?: string }> => {
    const error: NearmissError = await load(yaml, set).then(
      () => {
        throw new Error('expected the recipe to be refused');
      },
      (reason) => reason,
    );
    return { name: error.name, message: error.message.replaceAll(`${folder}/`, ''), hint: error.hint };
  };
  return { write, load, failure };
}
