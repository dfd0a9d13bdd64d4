import type { ParameterStore } from '../../engine/index.js';
import type { StepRandom } from '../../model/encoder/dropout.js';
import type { Batch } from '../task/batch.js';

/** What one computation of gradients depends on besides the batch. */
export interface StepRun extends StepRandom {
  /** Factor of the loss's gradient: the share of a batch that is learned in parts. Default 1. */
  weight?: number;
}

export interface StepResult {
  loss: number;
  /** Each loss by itself, where there are several. */
  parts?: Record<string, number>;
  /** Tokens that were encoded, without padding. */
  tokens: number;
}

/** What every way to compute a batch's gradients offers. */
export interface Step<B extends Batch> {
  /** Computes the batch's loss and adds its gradients to `gradients`, which has the parameters that learn. */
  addGradients(batch: B, gradients: ParameterStore, run: StepRun): Promise<StepResult>;
  release(): Promise<void>;
}
