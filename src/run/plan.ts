import type {
  BatchRecipe,
  LossRecipe,
  NegativesRecipe,
  OptimizerRecipe,
  Recipe,
  StageRecipe,
} from '../recipe/recipe.js';

/**
 * Which documents of a batch are a query's negatives: its `own` sampled ones, all of the `batch` that are not known
 * to be relevant, or the `hardest` of those, the one that scores best (NCE).
 */
export type BatchNegatives = 'own' | 'batch' | 'hardest';

/** A stage with its place in the run and everything it inherits filled in. */
export interface PlannedStage {
  index: number;
  name: string;
  /** The run's step that is its first, and the one after its last. */
  start: number;
  end: number;
  negatives: NegativesRecipe[];
  batchNegatives: BatchNegatives;
  loss: LossRecipe;
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
      negatives: stage.negatives,
      batchNegatives: batchNegativesOf(stage, { ...recipe.loss, ...stage.loss }),
      loss: { ...recipe.loss, ...stage.loss },
      optimizer: { ...recipe.optimizer, ...stage.optimizer },
      batch: { ...recipe.batch, ...stage.batch },
    });
    start = end;
  }
  return { stages, totalSteps: start };
}

function batchNegativesOf({ negatives }: StageRecipe, loss: LossRecipe): BatchNegatives {
  const sources = negatives.map(({ source }) => source);
  if (sources.includes('hardest-in-batch')) return 'hardest';
  return sources.includes('in-batch') || loss.name === 'infonce' ? 'batch' : 'own';
}

/** The stage that takes a step; the last one for the step after the end. */
export function stageAt({ stages }: Plan, step: number): PlannedStage {
  return stages.find(({ end }) => step < end) ?? stages.at(-1)!;
}

/** The sources of a stage's negatives by name; a loss over the whole batch has the batch as one, named or not. */
export function sourcesOf({ negatives, batchNegatives }: PlannedStage): string[] {
  const sources = new Set<string>(negatives.map(({ source }) => source));
  if (batchNegatives === 'batch') sources.add('in-batch');
  return [...sources];
}

/** The ANN source of a stage, where it has one. */
export function annOf(stage: PlannedStage): NegativesRecipe | undefined {
  return stage.negatives.find(({ source }) => source === 'ann');
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
