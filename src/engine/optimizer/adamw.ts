import type { ParameterStore } from '../parameters.js';
import type { Optimizer, OptimizerOptions } from './optimizer.js';

/**
 * AdamW (Loshchilov & Hutter 2019), equal to PyTorch's: bias correction, decay apart from the gradient. Rows
 * of an embedding table that a batch did not touch decay and coast on their momentum like everything else.
 */
export class AdamW implements Optimizer {
  readonly name = 'adamw';
  readonly state: { firstMoment: ParameterStore; secondMoment: ParameterStore };
  readonly #parameters: ParameterStore;
  readonly #options: Required<OptimizerOptions>;
  #step = 0;

  constructor(parameters: ParameterStore, options: OptimizerOptions = {}) {
    this.#parameters = parameters;
    this.state = { firstMoment: parameters.zerosLike(), secondMoment: parameters.zerosLike() };
    this.#options = {
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-8,
      weightDecay: 0.01,
      decays: () => true,
      ...options,
    };
  }

  get step(): number {
    return this.#step;
  }

  resumeAt(step: number): void {
    this.#step = step;
  }

  update(gradients: ParameterStore, learningRate: number, gradientScale = 1): void {
    this.#step++;
    const { beta1, beta2, epsilon, weightDecay, decays } = this.#options;
    const stepSize = learningRate / (1 - beta1 ** this.#step);
    const correction = 1 / Math.sqrt(1 - beta2 ** this.#step);
    for (const { name } of this.#parameters.specs) {
      updateTensor({
        parameter: this.#parameters.get(name),
        gradient: gradients.get(name),
        first: this.state.firstMoment.get(name),
        second: this.state.secondMoment.get(name),
        gradientScale,
        keep: 1 - learningRate * (decays(name) ? weightDecay : 0),
        beta1,
        beta2,
        epsilon,
        stepSize,
        correction,
      });
    }
  }
}

interface TensorUpdate {
  parameter: Float32Array;
  gradient: Float32Array;
  first: Float32Array;
  second: Float32Array;
  gradientScale: number;
  keep: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  stepSize: number;
  correction: number;
}

/** Numbers looked at together; a row of an embedding table is about as long. */
const BLOCK = 256;

function updateTensor(update: TensorUpdate): void {
  const { length } = update.parameter;
  for (let start = 0; start < length; start += BLOCK) {
    const end = Math.min(start + BLOCK, length);
    if (isUntouched(update, start, end)) decay(update, start, end);
    else step(update, start, end);
  }
}

/** Whether no gradient ever reached these numbers: most words of a vocabulary do not occur in a collection. */
function isUntouched({ gradient, first, second }: TensorUpdate, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (gradient[i] !== 0 || first[i] !== 0 || second[i] !== 0) return false;
  }
  return true;
}

/** What {@link step} comes to where both moments and the gradient are 0. */
function decay({ parameter, keep }: TensorUpdate, start: number, end: number): void {
  for (let i = start; i < end; i++) parameter[i] *= keep;
}

function step(update: TensorUpdate, start: number, end: number): void {
  const { parameter, gradient, first, second } = update;
  const { gradientScale, keep, beta1, beta2, epsilon, stepSize, correction } = update;
  const [gain1, gain2] = [1 - beta1, 1 - beta2];
  for (let i = start; i < end; i++) {
    const g = gradient[i] * gradientScale;
    const m = beta1 * first[i] + gain1 * g;
    const v = beta2 * second[i] + gain2 * g * g;
    first[i] = m;
    second[i] = v;
    parameter[i] = parameter[i] * keep - (stepSize * m) / (Math.sqrt(v) * correction + epsilon);
  }
}
