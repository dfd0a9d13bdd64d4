import type { ParameterStore, SessionOptions } from '../../engine/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { StageData } from '../../run/collection/stage-data.js';
import type { EventWriter } from '../../run/events.js';
import type { Plan, PlannedStage } from '../../run/plan.js';
import type { RunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import type { TrainedModel } from '../model/trained-model.js';
import type { Step } from '../step/step.js';
import type { Batch } from './batch.js';
import type { LearnedPart } from './learned-part.js';

/** Everything a stage may use of its run. */
export interface StageContext {
  run: RunDirectory;
  description: RunDescription;
  recipe: Recipe;
  plan: Plan;
  stage: PlannedStage;
  /** With the training queries of this stage. */
  data: TrainingData;
  /** With those of others. */
  stages: StageData;
  model: TrainedModel;
  events: EventWriter;
  session: SessionOptions;
  /** Which parameters learn in this stage. */
  learns: (name: string) => boolean;
  /** Gives up waiting. */
  shouldStop: () => Promise<boolean>;
}

/** All that Trainer and Learner know of what is learned. */
export interface Task<B extends Batch = Batch> {
  /** The batches whose gradients make up a step of the run; `undefined` where waiting for them was given up. */
  batches(step: number): Promise<B[] | undefined>;
  readonly step: Step<B>;
  /** The same batches with what each source of negatives teaches alone, for evidence; `undefined` where there is one. */
  bySource?(batches: readonly B[]): { source: string; batches: B[] }[] | undefined;
  /** Called when the weights have been updated: for moving averages and queues. */
  after?(step: number): Promise<void>;
  /** What learns in the same steps as the model and is not part of it; its numbers are in `state`, too. */
  readonly part?: LearnedPart;
  /** Numbers that are saved with the weights and restored before the first step. */
  readonly state: Readonly<Record<string, ParameterStore>>;
  /** A head that guesses hidden words, to be saved as part of the model. */
  readonly mlmHead?: ParameterStore;
  /** What people may want to know of the last batches, by name. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Writes what belongs to a checkpoint besides state and weights: another model that learned. */
  fill?(folder: string): Promise<void>;
  /** The checkpoint whose negatives served the last batches, where one did. */
  readonly negativesVersion?: number;
  close(): Promise<void>;
}

/** Opens a task for a stage, with the options of its kind. */
export type OpenTask = (options: object, stage: StageContext) => Promise<Task>;
