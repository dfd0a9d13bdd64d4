import { NearmissError } from '../../base/errors.js';
import { docPage } from '../../base/package-files.js';
import { type Dataset, GENERATED_SPLIT } from '../../data/index.js';
import { queryAnswers } from '../../evaluate/query-answers.js';
import { negatives as negativeKinds } from '../../negatives/index.js';
import { makers } from '../../recipe/axes.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { Recipe } from '../../recipe/recipe.js';
import { learnsFromLabels } from '../../run/collection/learns-from-labels.js';
import { planRun, teachersOf } from '../../run/plan.js';
import { teachers } from '../../teacher/index.js';
import { requireRecipe } from '../make/require-recipe.js';
import { ANSWERS_HINT } from '../mining/mining-rules.js';

/** What makers need that cannot say it themselves, because they are read before recipes are. */
const REQUIRE_MADE: Record<string, (options: never) => Promise<void>> = { train: requireRecipe };

/** Asked before anything is written: a run that can never learn, or will fail in a later stage, is not begun. */
export async function requireTrainable(dataset: Dataset, recipe: Recipe, split: string): Promise<void> {
  const measured = recipe.evaluation.split;
  const judged = [
    ...(learnsFromLabels(recipe) ? [split] : []),
    // Generated queries come later.
    ...(measured === GENERATED_SPLIT ? [] : [measured]),
  ];
  await requireSplits(dataset, judged);
  for (const name of judged) await requirePositives(dataset, name);
  const { stages } = planRun(recipe);
  const negatives = stages.flatMap((stage) => stage.negatives);
  for (const source of negatives) {
    const kind = negativeKinds.get(source.source);
    await kind.require?.(kindOptions(kind, source), dataset);
  }
  for (const teacher of stages.flatMap(teachersOf)) {
    const kind = teachers.get(teacher.name);
    await kind.require?.(kindOptions(kind, teacher), dataset);
  }
  for (const { make } of stages) {
    if (!make) continue;
    const kind = makers.get(make.name);
    await (kind.require ?? REQUIRE_MADE[kind.name])?.(kindOptions(kind, make) as never);
  }
  if (negatives.some(({ dropAnswers }) => dropAnswers)) await requireAnswers(dataset, split);
}

async function requirePositives(dataset: Dataset, split: string): Promise<void> {
  for (const grades of (await dataset.qrels(split)).values()) if (hasPositive(grades)) return;
  throw new NearmissError(`${dataset.name}: no query of split "${split}" has a relevant document`, {
    hint: 'learning and measuring need queries with at least one judgment above 0; `nearmiss data stats` counts them',
  });
}

/** Where there is nothing to learn from, or to measure on, that is said before anything is counted. */
export async function requireSplits(dataset: Dataset, wanted: readonly string[]): Promise<void> {
  const splits = await dataset.splits();
  for (const split of wanted) {
    if (splits.includes(split)) continue;
    if (splits.length === 0) {
      throw new NearmissError(`${dataset.name}: training needs queries and judgments, got documents alone`, {
        hint: `nearmiss adapt learns from documents alone; to add judgments: nearmiss data import … --queries FILE --qrels train=FILE, or mark hits right and wrong in nearmiss serve (${docPage('your-data')})`,
      });
    }
    throw new NearmissError(`${dataset.name}: no split "${split}", only ${splits.join(', ')}`, {
      hint: 'make one with `nearmiss data split`, or name another: --split for training, --set evaluation.split=… for measuring',
    });
  }
}

async function requireAnswers(dataset: Dataset, split: string): Promise<void> {
  const qrels = await dataset.qrels(split);
  for await (const query of dataset.queries(split)) {
    if (hasPositive(qrels.get(query.id) ?? new Map())) queryAnswers(query, ANSWERS_HINT);
  }
}

function hasPositive(grades: ReadonlyMap<string, number>): boolean {
  return [...grades.values()].some((grade) => grade > 0);
}
