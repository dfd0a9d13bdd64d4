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

  update(gradients: ParameterStore, learningRate: number): void {
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
  keep: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  stepSize: number;
  correction: number;
}

function updateTensor(options: TensorUpdate): void {
  const { parameter, gradient, first, second, keep, beta1, beta2, epsilon, stepSize, correction } = options;
  const [gain1, gain2] = [1 - beta1, 1 - beta2];
  for (let i = 0; i < parameter.length; i++) {
    const g = gradient[i];
    const m = beta1 * first[i] + gain1 * g;
    const v = beta2 * second[i] + gain2 * g * g;
    first[i] = m;
    second[i] = v;
    parameter[i] = parameter[i] * keep - (stepSize * m) / (Math.sqrt(v) * correction + epsilon);
  }
}
