import { NearmissError } from '../base/errors.js';
import { clipFactor, groupNorms, type Optimizer, type ParameterStore } from '../engine/index.js';
import { layerGroupOf } from '../model/encoder/layer-groups.js';
import type { Step } from './step/step.js';
import type { TrainingBatch } from './task/batch.js';

export interface LearnerOptions {
  step: Step;
  parameters: ParameterStore;
  optimizer: Optimizer;
  /** The learning rate of each step. */
  learningRate: (step: number) => number;
  /** Largest global gradient norm; no clipping when left out. */
  clip?: number;
  /** Layers of the encoder, to group gradient norms by. */
  layers: number;
  seed: number;
}

/** What a step's batches teach. */
export interface Measured {
  loss: number;
  /** Before clipping. */
  gradientNorm: number;
  groupNorms: Record<string, number>;
  /** Encoded, without padding. */
  tokens: number;
}

/** What one update did. */
export interface Update extends Measured {
  step: number;
  learningRate: number;
}

/** Turns batches into updates: gradients, accumulation, clipping, optimizer, and a stop when numbers go wrong. */
export class Learner {
  readonly #options: LearnerOptions;
  readonly #gradients: ParameterStore;

  constructor(options: LearnerOptions) {
    this.#options = options;
    this.#gradients = options.parameters.zerosLike();
  }

  /**
   * The run's step `number` from one batch, or from several whose gradients are accumulated, each weighted by its
   * share of the queries.
   */
  async update(number: number, batches: readonly TrainingBatch[]): Promise<Update> {
    const { optimizer, learningRate, clip } = this.#options;
    const measured = await this.measure(number, batches);
    const { loss, gradientNorm } = measured;
    const rate = learningRate(number);
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm))
      throw diverged(number, loss, gradientNorm, rate);
    optimizer.update(this.#gradients, rate, clip === undefined ? 1 : clipFactor(gradientNorm, clip));
    return { step: number, learningRate: rate, ...measured };
  }

  /** Computes what batches of step `number` teach and leaves weights and optimizer as they are. */
  async measure(number: number, batches: readonly TrainingBatch[]): Promise<Measured> {
    const { step, layers, seed } = this.#options;
    const queries = batches.reduce((sum, batch) => sum + batch.queries.length, 0);
    let loss = 0;
    let tokens = 0;
    this.#gradients.buffer.fill(0);
    for (const [part, batch] of batches.entries()) {
      const weight = batch.queries.length / queries;
      const result = await step.addGradients(batch, this.#gradients, { seed, step: number, part, weight });
      loss += weight * result.loss;
      tokens += result.tokens;
    }
    const norms = groupNorms(this.#gradients, (name) => layerGroupOf(name, layers));
    return { loss, gradientNorm: Math.hypot(...Object.values(norms)), groupNorms: norms, tokens };
  }
}

function diverged(step: number, loss: number, norm: number, rate: number): NearmissError {
  const what = Number.isFinite(loss) ? `the gradient norm is ${norm}` : `the loss is ${loss}`;
  return new NearmissError(`step ${step}: ${what}; training stopped before the weights were changed`, {
    hint:
      `the learning rate (${rate.toPrecision(3)}) is most likely too high: divide it by 3 to 10, lengthen the warm-up, ` +
      'or clip gradients at 1; if it happens at step 0, the starting weights hold NaN or the temperature is too small',
  });
}
