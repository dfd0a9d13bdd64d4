import { stat } from 'node:fs/promises';
import { UsageError } from '../../base/errors.js';
import { jsonText } from '../../base/printable.js';
import type { SystemsTable } from '../../systems/index.js';

export interface EvalSystemsOptions {
  split?: string;
  json?: boolean;
}

const USUAL_SPLIT = 'test';

/** Whether a path is a folder: a training run or a collection, whose systems are measured, and not a run file. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Measures everything that a training run or a collection can be searched with, side by side. */
export async function evalSystems(path: string, options: EvalSystemsOptions): Promise<string> {
  const { split = USUAL_SPLIT } = options;
  const [{ isRun }, { systemsTable }] = await Promise.all([
    import('../../run/run-description.js'),
    import('../../systems/index.js'),
  ]);
  const table = (await isRun(path)) ? await ofRun(path, split) : await ofCollection(path, split);
  return options.json ? `${jsonText(table, 2)}\n` : systemsTable(table);
}

async function ofRun(path: string, split: string): Promise<SystemsTable> {
  const [{ concludeRun }, { measureOnSplit }, { bestSoFar }, { RunDirectory }] = await Promise.all([
    import('../../train/conclude.js'),
    import('../../systems/index.js'),
    import('../../run/step-evaluation.js'),
    import('../../run/run-directory.js'),
  ]);
  if ((await bestSoFar(new RunDirectory(path))) === undefined) {
    throw new UsageError(`${path}: this training run has no measured model yet`, {
      hint: `go on with it: nearmiss train --out ${path}`,
    });
  }
  const decided = await concludeRun(path);
  if (split !== decided.split) return measureOnSplit(path, split, decided);
  const { queries, measure, rows, best } = decided;
  return { split, queries, measure, rows, best };
}

async function ofCollection(path: string, split: string): Promise<SystemsTable> {
  const { measureCollection } = await import('../../systems/index.js');
  return measureCollection(path, { split });
}
