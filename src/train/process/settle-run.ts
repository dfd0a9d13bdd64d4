import { type Dataset, GENERATED_SPLIT, JUDGED_SPLIT, openDataset } from '../../data/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { type HeldOut, holdOut, withHeldOut } from '../../run/collection/held-out.js';
import { type TakenJudgments, takeJudgments } from '../../run/collection/judged.js';
import { learnsFromLabels } from '../../run/collection/learns-from-labels.js';
import { relevantOf } from '../../run/collection/queries-without-labels.js';
import type { RunDescription } from '../../run/run-description.js';
import { requireSplits } from './run-requirements.js';
import { settleRecipe } from './settle-recipe.js';

/** What a run is begun with. */
export type NewRun = Pick<RunDescription, 'data' | 'dataAsGiven' | 'split' | 'recipe'>;

/** What a run learns from and measures on, and how, with nothing left open. */
export interface SettledRun {
  dataset: Dataset;
  recipe: Recipe;
  /** What is measured on, where the collection has no split for it. */
  heldOut?: HeldOut;
  /** What people judged, where the run uses it. */
  judged?: TakenJudgments;
}

/** The split that is measured on unless a recipe says otherwise: where a collection lacks it, a run makes it. */
const USUAL_SPLIT = 'dev';

/** Holds out queries where the collection has none to measure on, and fills in what the recipe leaves to the rest. */
export async function settleRun(
  { data, split, recipe }: Pick<NewRun, 'data' | 'split' | 'recipe'>,
  /** What people judged, where a run that goes on took it when it began. */
  taken?: TakenJudgments,
): Promise<SettledRun> {
  const usesJudged = [split, recipe.evaluation.split].includes(JUDGED_SPLIT);
  const judged = taken ?? (usesJudged ? await takeJudgments(data) : undefined);
  const collection = await openDataset(data, { judgments: judged ?? false });
  const needsLabels = learnsFromLabels(recipe);
  if (needsLabels) await requireSplits(collection, [split]);
  const splits = await collection.splits();
  const wanted = recipe.evaluation.split;
  const lacks = wanted === USUAL_SPLIT && !splits.includes(wanted);
  const unlabelled = lacks && !needsLabels && !(await hasLabels(collection, split));
  const heldOut =
    lacks && !unlabelled ? await holdOut(collection, { from: split, split: wanted }) : undefined;
  const dataset = await withHeldOut(collection, heldOut);
  const measured = unlabelled ? measuredOnGenerated(recipe) : recipe;
  return {
    dataset,
    recipe: await settleRecipe(measured, { dataset, split }),
    ...(heldOut && { heldOut }),
    ...(judged && { judged }),
  };
}

/** Whether there are enough judged queries to hold some of them out. */
async function hasLabels(dataset: Dataset, split: string): Promise<boolean> {
  if (!(await dataset.splits()).includes(split)) return false;
  const judged = [...(await dataset.qrels(split)).values()];
  return judged.filter((grades) => relevantOf(grades).length > 0).length > 1;
}

/** Where nobody has judged anything, generated queries of documents that are not learned from have to do. */
function measuredOnGenerated(recipe: Recipe): Recipe {
  return { ...recipe, evaluation: { ...recipe.evaluation, split: GENERATED_SPLIT } };
}
