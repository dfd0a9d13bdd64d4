import { dirname, join, resolve } from 'node:path';
import { exists } from '../base/files.js';

/** How far above a run its collection may lie, e.g. `data/mine` beside `runs/mine`. */
const LEVELS = 4;

/**
 * Where a run's collection is. One that was moved together with its run is looked for under the path that was typed,
 * from where the command runs, and then beside the run: under the end of its path, from the folders above the run.
 */
export async function locateData(
  run: string,
  {
    data,
    dataAsGiven,
  }: {
    data: string;
    /** As it was typed, where that was not absolute. */
    dataAsGiven?: string;
  },
): Promise<string> {
  if (await exists(data)) return data;
  if (dataAsGiven !== undefined && (await exists(dataAsGiven))) return resolve(dataAsGiven);
  const names = data.split(/[\\/]/).filter((name) => name !== '');
  // The more of the path is the same, the surer it is the same collection.
  for (let from = 0; from < names.length; from++) {
    const end = names.slice(from);
    for (let above = dirname(resolve(run)), level = 0; level < LEVELS; above = dirname(above), level++) {
      const candidate = join(above, ...end);
      // The run itself may have its collection's name.
      if (candidate !== resolve(run) && (await exists(candidate))) return candidate;
    }
  }
  return data;
}
