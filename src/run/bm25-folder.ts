import { exists } from '../base/files.js';
import { withWriteLock } from '../base/lock/write-lock.js';
import { buildBm25Index } from '../index/bm25/index.js';
import { READ_ONLY_RUN, type RunDirectory } from './run-directory.js';
import type { TrainingData } from './training-data.js';

/** Builds the run's BM25 index where there is none, and gives its folder. */
export async function bm25Folder(run: RunDirectory, data: TrainingData): Promise<string> {
  const folder = run.file('cache', 'bm25');
  return withWriteLock(run.file('cache', 'bm25.lock'), READ_ONLY_RUN, async () => {
    if (!(await exists(folder))) await buildBm25Index(folder, data.dataset.documents());
    return folder;
  });
}
