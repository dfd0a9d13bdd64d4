import { resolve } from 'node:path';
import { exists } from '../base/files.js';

/**
 * Where a run's collection is. One that was moved together with its run is looked for under the path that was typed,
 * from where the command runs.
 */
export async function locateData({
  data,
  dataAsGiven,
}: {
  data: string;
  /** As it was typed, where that was not absolute. */
  dataAsGiven?: string;
}): Promise<string> {
  if (dataAsGiven === undefined || (await exists(data))) return data;
  return (await exists(dataAsGiven)) ? resolve(dataAsGiven) : data;
}
