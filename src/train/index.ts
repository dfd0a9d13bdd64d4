export { loadRecipe } from '../recipe/load.js';
export type { Recipe } from '../recipe/recipe.js';
export { builtInRecipes } from '../recipe/recipe-file.js';
export {
  parseEvents,
  type Role,
  type RunEvent,
  type SourceEvidence,
  type TimedEvent,
} from '../run/events.js';
export type { BatchNegatives } from '../run/plan.js';
export { type RunDescription, readRunDescription } from '../run/run-description.js';
export { RunDirectory } from '../run/run-directory.js';
export type { StepEvaluation } from '../run/step-evaluation.js';
export { Learner, type LearnerOptions, type Measured, type Update } from './learner.js';
export { CachedStep } from './step/cached-step.js';
export { DirectStep, type DirectStepOptions } from './step/direct-step.js';
export type { Step } from './step/step.js';
export type { Batch, RetrievalBatch } from './task/batch.js';
export { type TrainOptions, type TrainOutcome, train } from './train.js';
