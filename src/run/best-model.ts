import { NearmissError } from '../base/errors.js';
import { locateMade } from './made.js';
import { isRun } from './run-description.js';
import { RunDirectory } from './run-directory.js';

/** The model that a path stands for: the best one of a run; any other name is a model's own. */
export async function bestModel(path: string): Promise<string> {
  if (!(await isRun(path))) return path;
  const run = new RunDirectory(path);
  if ((await run.readJson('best.json')) !== undefined) return run.file('best');
  throw new NearmissError(`${path}: this run has no measured model yet`, {
    hint: 'wait for its first evaluation',
  });
}

/** The model that a run's recipe names: the same, or one that an earlier stage trained. */
export async function recipeModel(run: RunDirectory, name: string): Promise<string> {
  return bestModel(await locateMade(run, name));
}
