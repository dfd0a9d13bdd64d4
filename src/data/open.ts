import { readdir, stat } from 'node:fs/promises';
import { hasCode, NearmissError } from '../base/errors.js';
import type { Dataset } from './dataset.js';
import type { OnProblem } from './problem.js';
import { beirSources, isBeir } from './readers/beir.js';
import type { Sources } from './sources.js';
import { SourcesDataset } from './sources-dataset.js';

export interface OpenOptions {
  /** Called for each problem instead of throwing at the first error; the record at fault is skipped. */
  onProblem?: OnProblem;
}

/**
 * Opens a collection, whatever its format; nothing is read before it is asked for.
 *
 * @example
 * const dataset = await openDataset('data/scifact');
 */
export async function openDataset(path: string, options: OpenOptions = {}): Promise<Dataset> {
  return new SourcesDataset(await openSources(path), options.onProblem);
}

async function openSources(path: string): Promise<Sources> {
  const info = await stat(path).catch((error) => {
    if (hasCode(error, 'ENOENT'))
      throw new NearmissError(`${path}: no such file or folder`, { hint: 'check the path' });
    throw error;
  });
  if (info.isDirectory() && isBeir(await readdir(path))) return beirSources(path);
  throw new NearmissError(`${path}: not a known format`, {
    hint: 'expected a BEIR folder with corpus.jsonl',
  });
}
