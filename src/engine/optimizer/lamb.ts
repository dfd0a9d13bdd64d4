import type { ParameterStore } from '../parameters.js';
import type { Optimizer, OptimizerOptions } from './optimizer.js';

/** You et al. clamp the weight norm; the implementation that ANCE trains with uses this limit. */
const LARGEST_WEIGHT_NORM = 10;

/**
 * LAMB (You et al. 2020) as ANCE trains with: no bias correction, the weight norm clamped to [0, 10], one trust
 * ratio for each tensor.
 */
export class Lamb implements Optimizer {
  readonly name = 'lamb';
  readonly state: { firstMoment: ParameterStore; secondMoment: ParameterStore };
  readonly #parameters: ParameterStore;
  readonly #options: Required<OptimizerOptions>;
  readonly #direction: Float32Array;
  #step = 0;

  constructor(parameters: ParameterStore, options: OptimizerOptions = {}) {
    this.#parameters = parameters;
    this.state = { firstMoment: parameters.zerosLike(), secondMoment: parameters.zerosLike() };
    this.#options = {
      beta1: 0.9,
      beta2: 0.999,
      epsilon: 1e-6,
      weightDecay: 0.01,
      decays: () => true,
      ...options,
    };
    const largest = parameters.names.reduce((size, name) => Math.max(size, parameters.get(name).length), 0);
    this.#direction = new Float32Array(largest);
  }

  get step(): number {
    return this.#step;
  }

  resumeAt(step: number): void {
    this.#step = step;
  }

  update(gradients: ParameterStore, learningRate: number, gradientScale = 1): void {
    this.#step++;
    for (const { name } of this.#parameters.specs) {
      const decay = this.#options.decays(name) ? this.#options.weightDecay : 0;
      this.#updateTensor(name, gradients.get(name), { learningRate, decay, gradientScale });
    }
  }

  #updateTensor(
    name: string,
    gradient: Float32Array,
    { learningRate, decay, gradientScale }: { learningRate: number; decay: number; gradientScale: number },
  ): void {
    const { beta1, beta2, epsilon } = this.#options;
    const [gain1, gain2] = [1 - beta1, 1 - beta2];
    const parameter = this.#parameters.get(name);
    const first = this.state.firstMoment.get(name);
    const second = this.state.secondMoment.get(name);
    const direction = this.#direction;
    let [weightSquares, directionSquares] = [0, 0];
    for (let i = 0; i < parameter.length; i++) {
      const g = gradient[i] * gradientScale;
      const m = beta1 * first[i] + gain1 * g;
      const v = beta2 * second[i] + gain2 * g * g;
      const d = m / (Math.sqrt(v) + epsilon) + decay * parameter[i];
      first[i] = m;
      second[i] = v;
      direction[i] = d;
      weightSquares += parameter[i] * parameter[i];
      directionSquares += d * d;
    }
    const weightNorm = Math.min(Math.sqrt(weightSquares), LARGEST_WEIGHT_NORM);
    const directionNorm = Math.sqrt(directionSquares);
    const trust = weightNorm === 0 || directionNorm === 0 ? 1 : weightNorm / directionNorm;
    const size = learningRate * trust;
    for (let i = 0; i < parameter.length; i++) parameter[i] -= size * direction[i];
  }
}
