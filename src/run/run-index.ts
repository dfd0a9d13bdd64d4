import type { RunDirectory } from './run-directory.js';

/** What to do where an index that only the Inferencer makes is damaged or gone: searches of a run read the best model's. */
export function runIndexRemedy(run: RunDirectory, step: number): string {
  const folder = run.stepPath('index', step);
  return `remove ${folder}; nearmiss train --out ${run.path} makes the index of the best model again`;
}
