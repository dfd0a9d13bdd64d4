import { CostModel } from '../../run/cost/cost-model.js';
import type { TunePlan } from './tune.js';

/** What a search will take, before it begins. */
export interface TuneCost {
  trainings: number;
  /** Of all candidates together. */
  steps: number;
  /** Checkpoints that are measured, each of which encodes the collection. */
  measurements: number;
  /** A guess; the pace of the first training is better. */
  seconds: number;
  /** While all candidates are alive; the losers' models are removed. */
  diskBytes: number;
}

/** Adds up what a plan will take on `threads` threads. */
export async function costOf(plan: TunePlan, data: string, threads: number): Promise<TuneCost> {
  const model = await CostModel.open(plan.base, data);
  const cost: TuneCost = { trainings: 0, steps: 0, measurements: 0, seconds: 0, diskBytes: 0 };
  const { candidates, sizes } = plan.state;
  for (const [rung, count] of sizes.entries()) {
    // Which of them go on is not known yet: the first are as good as any.
    for (const { name, steps } of candidates.slice(0, count)) {
      const [from, to] = [rung === 0 ? 0 : steps[rung - 1], steps[rung]];
      const training = model.training(plan.recipes.get(name)!, { from, to, threads });
      cost.trainings++;
      cost.steps += training.steps;
      cost.measurements += training.encodings;
      cost.seconds += training.seconds;
    }
  }
  cost.diskBytes = candidates.length * model.diskBytes(plan.base);
  return cost;
}
