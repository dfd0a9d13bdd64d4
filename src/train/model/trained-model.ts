import type { ParameterStore, SessionOptions } from '../../engine/index.js';
import type { EncoderConfig, SaveModelOptions, TextReader } from '../../model/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { PlannedStage } from '../../run/plan.js';
import type { Step } from '../step/step.js';

/** What a run trains, of whatever kind. */
export interface TrainedModel {
  readonly parameters: ParameterStore;
  readonly config: EncoderConfig;
  readonly reader: TextReader;
  /** Compiles a stage's forward and backward pass. */
  step(recipe: Recipe, stage: PlannedStage, session: SessionOptions): Promise<Step>;
  /** Writes the model into a folder that the caller makes appear. */
  fill(folder: string, options: SaveModelOptions): Promise<void>;
}

export function hasDropout({ hiddenDropout, attentionDropout }: EncoderConfig): boolean {
  return hiddenDropout > 0 || attentionDropout > 0;
}
