import { stat } from 'node:fs/promises';
import { UsageError } from '../../base/errors.js';
import type { Dataset, Qrels } from '../../data/dataset.js';

/** Judgments, and the dataset they belong to where a folder was named. */
export interface LoadedQrels {
  qrels: Qrels;
  dataset?: Dataset;
  split?: string;
}

/** Reads the judgments of a command line: a qrels file, or a split of a dataset folder. */
export async function loadQrels(path: string, split: string | undefined): Promise<LoadedQrels> {
  const isFolder = await stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    const { readQrels } = await import('../../data/qrels.js');
    return { qrels: await readQrels(path) };
  }
  const { openDataset } = await import('../../data/open.js');
  const dataset = await openDataset(path);
  const chosen = split ?? onlySplit(path, await dataset.splits());
  return { qrels: await dataset.qrels(chosen), dataset, split: chosen };
}

function onlySplit(path: string, splits: string[]): string {
  if (splits.length === 1) return splits[0];
  throw new UsageError(`${path} has ${splits.length} splits: ${splits.join(', ')}`, {
    hint: `choose one, e.g. --split ${splits.includes('test') ? 'test' : splits[0]}`,
  });
}
