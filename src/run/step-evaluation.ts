import type { RunDirectory } from './run-directory.js';

/** What was measured with one checkpoint; its file is written last, so a checkpoint that has one is done. */
export interface StepEvaluation {
  step: number;
  split: string;
  queries: number;
  measures: Record<string, number>;
  /** The measure that decides, query by query, in a run that asks whether a difference may be chance. */
  values?: number[];
  /** Places in `values` of queries whose documents no training query has. */
  withoutLabels?: number[];
  seconds: Record<string, number>;
}

export async function bestSoFar(run: RunDirectory): Promise<StepEvaluation | undefined> {
  return run.readJson<StepEvaluation>('best.json');
}
