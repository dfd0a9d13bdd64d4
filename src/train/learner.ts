import { NearmissError } from '../base/errors.js';
import { clipFactor, groupNorms, type Optimizer, ParameterStore } from '../engine/index.js';
import { layerGroupOf } from '../model/encoder/layer-groups.js';
import type { Step } from './step/step.js';
import type { Batch } from './task/batch.js';
import type { LearnedPart } from './task/learned-part.js';

export interface LearnerOptions<B extends Batch> {
  step: Step<B>;
  parameters: ParameterStore;
  optimizer: Optimizer;
  /** What learns beside them; gradients of both are clipped together. */
  part?: LearnedPart;
  /** Which parameters learn. Default all. */
  learns?: (name: string) => boolean;
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
  /** Each loss by itself, where there are several. */
  parts?: Record<string, number>;
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
export class Learner<B extends Batch> {
  readonly #options: LearnerOptions<B>;
  readonly #gradients: ParameterStore;
  /** The gradients of the model, and of what learns beside it. */
  readonly #own: ParameterStore;
  readonly #ofPart: ParameterStore;

  constructor(options: LearnerOptions<B>) {
    const { parameters, part, learns = () => true } = options;
    this.#options = options;
    const own = parameters.specs.filter(({ name }) => learns(name));
    const ofPart = part?.parameters.specs ?? [];
    this.#gradients = new ParameterStore([...own, ...ofPart]);
    const { buffer } = this.#gradients;
    const size = buffer.length - (part?.parameters.buffer.length ?? 0);
    this.#own = new ParameterStore(own, buffer.subarray(0, size));
    this.#ofPart = new ParameterStore(ofPart, buffer.subarray(size));
  }

  /**
   * The run's step `number` from one batch, or from several whose gradients are accumulated, each weighted by its
   * share of the examples.
   */
  async update(number: number, batches: readonly B[]): Promise<Update> {
    const { optimizer, part, learningRate, clip } = this.#options;
    const measured = await this.measure(number, batches);
    const { loss, gradientNorm } = measured;
    const rate = learningRate(number);
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm))
      throw diverged(number, loss, gradientNorm, rate);
    const scale = clip === undefined ? 1 : clipFactor(gradientNorm, clip);
    optimizer.update(this.#own, rate, scale);
    part?.update(number, this.#ofPart, rate, scale);
    return { step: number, learningRate: rate, ...measured };
  }

  /** Computes what batches of step `number` teach and leaves weights and optimizer as they are. */
  async measure(number: number, batches: readonly B[]): Promise<Measured> {
    const { step, layers, seed } = this.#options;
    const examples = batches.reduce((sum, batch) => sum + batch.examples, 0);
    let loss = 0;
    let parts: Record<string, number> | undefined;
    let tokens = 0;
    this.#gradients.buffer.fill(0);
    for (const [part, batch] of batches.entries()) {
      const weight = batch.examples / examples;
      const result = await step.addGradients(batch, this.#gradients, { seed, step: number, part, weight });
      loss += weight * result.loss;
      tokens += result.tokens;
      for (const [name, value] of Object.entries(result.parts ?? {})) {
        parts = { ...parts, [name]: (parts?.[name] ?? 0) + weight * value };
      }
    }
    const norms = groupNorms(this.#gradients, (name) => layerGroupOf(name, layers));
    return {
      loss,
      ...(parts && { parts }),
      gradientNorm: Math.hypot(...Object.values(norms)),
      groupNorms: norms,
      tokens,
    };
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
