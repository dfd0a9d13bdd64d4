import { losses } from '../loss/kinds.js';
import type { LossNegatives } from '../loss/loss.js';
import { negatives as sources } from '../negatives/kinds.js';
import { AXES } from '../recipe/axis-places.js';
import { changedChoice } from '../recipe/changed-choice.js';
import { kindOptions } from '../recipe/kind-options.js';
import type {
  BatchRecipe,
  Choice,
  LossRecipe,
  NegativesRecipe,
  OptimizerRecipe,
  Recipe,
  StageRecipe,
} from '../recipe/recipe.js';
import { lossesOf } from '../recipe/stage-loss.js';

/**
 * Which documents of a batch are a query's negatives: what losses know, or the `hardest` of the batch, the one that
 * scores best (NCE).
 */
export type BatchNegatives = LossNegatives | 'hardest';

/** A loss of a stage, and what counts as a negative for it. */
export interface PlannedLoss extends LossRecipe {
  negatives: BatchNegatives;
}

/** A stage with its place in the run and everything it inherits filled in. */
export interface PlannedStage {
  index: number;
  name: string;
  /** The run's step that is its first, and the one after its last; the same where it makes data. */
  start: number;
  end: number;
  task: Choice;
  make?: Choice;
  negatives: NegativesRecipe[];
  losses: PlannedLoss[];
  teacher: Choice;
  examples: Choice;
  /** Parameters that do not learn. */
  freeze: string[];
  optimizer: OptimizerRecipe;
  batch: BatchRecipe;
}

export interface Plan {
  stages: PlannedStage[];
  totalSteps: number;
}

/** Lays a recipe's stages out along the run's steps. */
export function planRun(recipe: Recipe): Plan {
  const stages: PlannedStage[] = [];
  let start = 0;
  for (const [index, stage] of recipe.stages.entries()) {
    const end = start + stage.steps;
    stages.push({
      index,
      name: stage.name,
      start,
      end,
      task: stage.task,
      ...(stage.make && { make: stage.make }),
      negatives: stage.negatives,
      losses: plannedLosses(stage, lossesOf(recipe, stage)),
      teacher: stage.teacher ?? recipe.teacher,
      examples: stage.examples ?? recipe.examples,
      freeze: stage.freeze,
      optimizer: changedChoice(AXES.optimizer, recipe.optimizer, stage.optimizer),
      batch: { ...recipe.batch, ...stage.batch },
    });
    start = end;
  }
  return { stages, totalSteps: start };
}

function plannedLosses({ negatives }: StageRecipe, recipes: readonly LossRecipe[]): PlannedLoss[] {
  const ofBatch = negatives.map(({ source }) => sources.find(source)?.batch);
  const natural = recipes.map((recipe) => naturalNegatives(recipe));
  return recipes.map((recipe, i): PlannedLoss => {
    if (natural[i] === 'positives') return { ...recipe, negatives: natural[i] };
    if (ofBatch.includes('hardest')) return { ...recipe, negatives: 'hardest' };
    // Beside a loss over the batch, which takes the in-batch source for itself, the others keep to a query's own.
    const takesBatch = ofBatch.includes('batch') && !natural.includes('batch');
    return { ...recipe, negatives: takesBatch ? 'batch' : natural[i] };
  });
}

/** What a loss takes by itself; a reader of a run need not know all losses. */
function naturalNegatives(recipe: LossRecipe): BatchNegatives {
  const kind = losses.find(recipe.name);
  return kind ? kind.create(kindOptions(kind, recipe)).negatives : 'own';
}

/** Everybody whom a stage may learn from: its teacher, and those of single losses. */
export function teachersOf({ teacher, losses }: PlannedStage): Choice[] {
  return [teacher, ...losses.flatMap((loss) => loss.teacher ?? [])];
}

/** The stage that takes a step; the last one for the step after the end. */
export function stageAt({ stages }: Plan, step: number): PlannedStage {
  return stages.find(({ end }) => step < end) ?? stages.at(-1)!;
}

/** The step whose documents a step still has: where stages froze them, the one at which they began to stay. */
export function documentsStep(plan: Plan, step: number): number {
  const stage = plan.stages.find(({ start, end }) => start < step && step <= end);
  return stage?.freeze.includes('documents') ? documentsStep(plan, stage.start) : step;
}

/** The sources of a stage's negatives by name; a loss over the whole batch has the batch as one, named or not. */
export function sourcesOf({ negatives, losses }: PlannedStage): string[] {
  const names = new Set(negatives.map(({ source }) => source));
  if (losses.some(({ negatives }) => negatives === 'batch' || negatives === 'positives'))
    names.add('in-batch');
  return [...names];
}

/** The source of a stage that the Inferencer keeps fresh, where it has one. */
export function freshSourceOf(stage: PlannedStage): NegativesRecipe | undefined {
  return stage.negatives.find(({ source }) => sources.find(source)?.fresh);
}

/** Whether a checkpoint belongs after `step` steps: at the start, at the ends of stages, and every so often. */
export function isCheckpointStep(plan: Plan, step: number, every: number): boolean {
  if (step === 0 || step === plan.totalSteps) return true;
  const stage = stageAt(plan, step);
  return (step - stage.start) % every === 0;
}

/** The newest checkpoint step at or before `step`: in lockstep, its negatives serve the step. */
export function checkpointStepBefore(plan: Plan, step: number, every: number): number {
  const { start } = stageAt(plan, step);
  return start + Math.floor((step - start) / every) * every;
}
