import { UsageError } from '../../base/errors.js';
import type { Recipe } from '../../recipe/recipe.js';
import { isCheckpointStep, planRun } from '../../run/plan.js';

/** How many candidates go on to each rung, the first with all of them, the last with one at least. */
export function rungSizes(candidates: number, keep: number): number[] {
  const sizes = [candidates];
  for (let left = candidates; left > 1; sizes.push(left)) {
    left = Math.max(1, Math.min(left - 1, Math.ceil(left * keep - 1e-9)));
  }
  // The last two are compared over all their steps: a rung for one alone would compare nothing.
  if (sizes.length > 1) sizes.pop();
  return sizes;
}

/**
 * The step of each rung for a recipe, the last its end: shares of its own steps that grow as the candidates become
 * fewer, at its checkpoints, because those are measured.
 */
export function rungSteps(recipe: Recipe, rungs: number, keep: number): number[] {
  const plan = planRun(recipe);
  const measured = measuredSteps(recipe);
  if (measured.length < rungs) {
    throw new UsageError(
      `a checkpoint every ${recipe.checkpoint.every} of ${plan.totalSteps} steps is too seldom for ${rungs} rounds of halving`,
      { hint: 'try fewer values, lower checkpoint.every with --set, or lower --keep' },
    );
  }
  const steps: number[] = [];
  for (let rung = 0, place = -1; rung < rungs; rung++) {
    const wanted = plan.totalSteps * keep ** (rungs - 1 - rung) - 1e-9;
    // Every round goes on from the one before, and leaves room for those after it.
    place = Math.max(
      place + 1,
      measured.findIndex((step) => step >= wanted),
    );
    place = Math.min(place, measured.length - rungs + rung);
    steps.push(measured[place]);
  }
  return steps;
}

/** The steps at which a recipe is measured. */
export function measuredSteps(recipe: Recipe): number[] {
  const plan = planRun(recipe);
  const measured: number[] = [];
  for (let step = 1; step <= plan.totalSteps; step++)
    if (isCheckpointStep(plan, step, recipe.checkpoint.every)) measured.push(step);
  return measured;
}
