import type { ParameterStore } from '../parameters.js';
import { MomentOptimizer, type TensorState } from './moment-optimizer.js';
import type { OptimizerOptions } from './optimizer.js';

/** You et al. clamp the weight norm; the implementation that ANCE trains with uses this limit. */
const LARGEST_WEIGHT_NORM = 10;

/**
 * LAMB (You et al. 2020) as ANCE trains with: no bias correction, the weight norm clamped to [0, 10], one trust
 * ratio for each tensor.
 */
export class Lamb extends MomentOptimizer {
  readonly name = 'lamb';
  readonly #direction: Float32Array;

  constructor(parameters: ParameterStore, options: OptimizerOptions = {}) {
    super(parameters, { epsilon: 1e-6, ...options });
    const largest = parameters.names.reduce((size, name) => Math.max(size, parameters.get(name).length), 0);
    this.#direction = new Float32Array(largest);
  }

  protected updateTensor(tensor: TensorState): void {
    const { parameter, gradient, first, second, gradientScale, learningRate, weightDecay } = tensor;
    const { beta1, beta2, epsilon } = this.options;
    const [gain1, gain2] = [1 - beta1, 1 - beta2];
    const direction = this.#direction;
    let [weightSquares, directionSquares] = [0, 0];
    for (let i = 0; i < parameter.length; i++) {
      const g = gradient[i] * gradientScale;
      const m = beta1 * first[i] + gain1 * g;
      const v = beta2 * second[i] + gain2 * g * g;
      const d = m / (Math.sqrt(v) + epsilon) + weightDecay * parameter[i];
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
