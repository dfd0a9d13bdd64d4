import { availableParallelism } from 'node:os';
import { CostModel } from '../../run/cost/cost-model.js';
import { settleRun } from '../../train/process/settle-run.js';
import type { PlannedRun, TrainRowOptions } from './train-row.js';

/** What the trainings of a table will take, before the first begins. */
export interface RowsCost {
  trainings: number;
  steps: number;
  /** A guess from the model's size and the texts' lengths. */
  seconds: number;
  /** Once all of them are done. */
  resultBytes: number;
  /** On top of that, while one is trained. */
  workBytes: number;
}

/** Adds up what runs will take that all have a model of the same size; one that several rows share counts once. */
export async function costOfRows(
  planned: readonly PlannedRun[],
  { data, split, supervise }: Pick<TrainRowOptions, 'data' | 'split' | 'supervise'>,
): Promise<RowsCost> {
  const threads = supervise.threads.trainer ?? availableParallelism();
  const cost: RowsCost = { trainings: 0, steps: 0, seconds: 0, resultBytes: 0, workBytes: 0 };
  const runs = [...new Map(planned.map((run) => [run.path, run])).values()];
  let model: CostModel | undefined;
  for (const { recipe: given, startsFrom: init } of runs) {
    const { recipe } = await settleRun({
      data,
      split,
      recipe: { ...given, model: { ...given.model, init } },
    });
    model ??= await CostModel.open(recipe, data);
    const { steps, seconds } = model.training(recipe, { threads });
    cost.trainings++;
    cost.steps += steps;
    cost.seconds += seconds;
    cost.resultBytes += model.resultBytes();
    cost.workBytes = Math.max(cost.workBytes, model.diskBytes(recipe) - model.resultBytes());
  }
  return cost;
}
