import type { Dataset } from '../../data/index.js';
import { openModel } from '../../model/folder/source.js';
import type { Recipe, StageRecipe, TextLength } from '../../recipe/recipe.js';

/**
 * A recipe as a run has it: with numbers for what it leaves to the model (lengths) and to the collection (steps where
 * passes over the labels are fewer). One that was settled before stays as it is.
 */
export async function settleRecipe(
  recipe: Recipe,
  { dataset, split }: { dataset: Dataset; split: string },
): Promise<Recipe> {
  const { maxLength } = recipe.model;
  const own = Object.values(maxLength).includes('own') ? await ownLength(recipe.model.init) : 0;
  const settled = (length: TextLength): number => (length === 'own' ? own : length);
  const labels = recipe.stages.some(({ epochs }) => epochs !== undefined)
    ? await countLabels(dataset, split)
    : 0;
  return {
    ...recipe,
    model: {
      ...recipe.model,
      maxLength: { query: settled(maxLength.query), document: settled(maxLength.document) },
    },
    stages: recipe.stages.map((stage) => shortened(stage, recipe, stepsOf(stage, recipe, labels))),
  };
}

/** Tokens of a text that a model reads by itself. */
async function ownLength(init: string): Promise<number> {
  const { maxSequenceLength, weights } = await openModel(init, { quiet: true });
  await weights.close();
  return maxSequenceLength;
}

/** The share of its steps in which a stage that few labels have shortened may still warm up. */
const WARM_UP_SHARE = 0.25;

/** A stage of so many steps; one that became shorter would else end before its learning rate is reached. */
function shortened(stage: StageRecipe, recipe: Recipe, steps: number): StageRecipe {
  if (steps >= stage.steps) return stage;
  const { warmupSteps } = { ...recipe.optimizer, ...stage.optimizer };
  const most = Math.floor(WARM_UP_SHARE * steps);
  if (warmupSteps <= most) return { ...stage, steps };
  return { ...stage, steps, optimizer: { ...stage.optimizer, warmupSteps: most } };
}

function stepsOf({ steps, epochs, batch }: StageRecipe, recipe: Recipe, labels: number): number {
  if (epochs === undefined) return steps;
  const { queries, accumulate } = { ...recipe.batch, ...batch };
  return Math.min(steps, Math.max(1, Math.ceil((epochs * labels) / (queries * accumulate))));
}

/** How many queries are learned from; not known where they are still to be written. */
async function countLabels(dataset: Dataset, split: string): Promise<number> {
  if (!(await dataset.splits()).includes(split)) return Number.POSITIVE_INFINITY;
  let labels = 0;
  for (const grades of (await dataset.qrels(split)).values()) {
    if ([...grades.values()].some((grade) => grade > 0)) labels++;
  }
  return labels;
}
