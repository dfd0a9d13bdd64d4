import { realpath } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { hasCode, NearmissError } from '../base/errors.js';
import type { Axes } from './axes.js';

const EXAMPLE = 'export default ({ losses, engine, settings }) => { losses.register({ … }) }';

/** What is running or has run, by its real path. */
const modules = new Map<string, Promise<void>>();

/**
 * Runs modules that register kinds of their own: each exports a function that is given the registries. One that has run
 * already is not run again. Only for modules that somebody named to this very process, by a recipe to train or on the
 * command line: what a run folder names is code of whoever made the folder.
 *
 * @param paths files, relative ones from the working directory
 * @example
 * await loadModules(['./my-loss.js']);
 */
export async function loadModules(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = await realpath(path).catch((error) => {
      if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error;
      throw new NearmissError(`${path}: no such module`, {
        hint: 'name a JavaScript file; in a recipe, a relative path counts from the file that says it',
      });
    });
    const running = modules.get(file) ?? run(path, file);
    modules.set(file, running);
    await running.catch((error) => {
      modules.delete(file);
      throw error;
    });
  }
}

/** The modules that have run, for processes and threads that are to know the same kinds. */
export function loadedModules(): string[] {
  return [...modules.keys()];
}

async function run(path: string, file: string): Promise<void> {
  const { default: register } = await failing(path, async () => import(pathToFileURL(file).href));
  if (typeof register !== 'function') {
    throw new NearmissError(`${path}: expected a function as the default export of the module`, {
      hint: `e.g. ${EXAMPLE}`,
    });
  }
  const { axes } = await import('./axes.js');
  await failing(path, async () => (register as (axes: Axes) => unknown)(axes));
}

async function failing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NearmissError(`${path}: this module fails: ${reason}`, {
      hint: error instanceof NearmissError ? error.hint : `a module looks like this: ${EXAMPLE}`,
      cause: error,
    });
  }
}
