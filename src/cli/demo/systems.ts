import { exists } from '../../base/files.js';
import type { SessionOptions } from '../../engine/index.js';
import { type Run, readRun, writeRun } from '../../evaluate/index.js';
import { openRun } from '../../run/open-run.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { evaluationSet } from '../../run/training-data.js';
import { DenseCheckpoint } from '../../train/refresh/dense-checkpoint.js';

/** Hits of each query; R@100 is the deepest measure. */
const DEPTH = 100;

export interface DenseRunOptions {
  tag: string;
  step: number;
  split: string;
  /** The TREC run that is written, or read where it is there already. */
  path: string;
  session: SessionOptions;
  /** Told how many documents are encoded, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/** What a training run's model finds at a step for all queries of a split. */
export async function denseRun(run: RunDirectory, options: DenseRunOptions): Promise<Run> {
  const { tag, step, split, path, session, onProgress } = options;
  if (await exists(path)) return readRun(path);
  const { data, description } = await openRun(run.path, { quiet: true });
  try {
    const { queries } = await evaluationSet(data, { split, limit: 0, seed: 0 });
    const checkpoint = await DenseCheckpoint.open(step, {
      run,
      recipe: description.recipe,
      data,
      session,
      onProgress: (done) => onProgress?.(done, data.documents.count),
    });
    const found = { tag, rankings: await checkpoint.rankings(queries, DEPTH) };
    await checkpoint.close();
    await writeRun(path, found);
    return found;
  } finally {
    await data.close();
  }
}
