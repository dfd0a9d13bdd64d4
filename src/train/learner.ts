import { NearmissError } from '../base/errors.js';
import { clipFactor, groupNorms, type Optimizer, type ParameterStore } from '../engine/index.js';
import { layerGroupOf } from '../model/layer-groups.js';
import type { TrainingBatch } from './batch.js';
import type { Step } from './step.js';

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

/** What one update did. */
export interface Update {
  step: number;
  loss: number;
  learningRate: number;
  /** Before clipping. */
  gradientNorm: number;
  groupNorms: Record<string, number>;
  /** Encoded, without padding. */
  tokens: number;
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
    const { step, optimizer, learningRate, clip, layers, seed } = this.#options;
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
    const gradientNorm = Math.hypot(...Object.values(norms));
    const rate = learningRate(number);
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm))
      throw diverged(number, loss, gradientNorm, rate);
    optimizer.update(this.#gradients, rate, clip === undefined ? 1 : clipFactor(gradientNorm, clip));
    return { step: number, loss, learningRate: rate, gradientNorm, groupNorms: norms, tokens };
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
