import type { ParameterStore } from '../parameters.js';
import type { Optimizer, OptimizerOptions } from './optimizer.js';

/** What AdamW and LAMB share: two running moments of each gradient, and how many updates were made. */
export abstract class MomentOptimizer implements Optimizer {
  abstract readonly name: string;
  readonly state: { firstMoment: ParameterStore; secondMoment: ParameterStore };
  protected readonly parameters: ParameterStore;
  protected readonly options: Required<OptimizerOptions>;
  #step = 0;

  constructor(parameters: ParameterStore, options: OptimizerOptions & { epsilon: number }) {
    this.parameters = parameters;
    this.options = {
      beta1: 0.9,
      beta2: 0.999,
      weightDecay: 0.01,
      decays: () => true,
      learns: () => true,
      ...options,
    };
    const { learns } = this.options;
    this.state = { firstMoment: parameters.zerosLike(learns), secondMoment: parameters.zerosLike(learns) };
  }

  get step(): number {
    return this.#step;
  }

  resumeAt(step: number): void {
    this.#step = step;
  }

  update(gradients: ParameterStore, learningRate: number, gradientScale = 1): void {
    this.#step++;
    for (const { name } of this.state.firstMoment.specs) {
      this.updateTensor({
        parameter: this.parameters.get(name),
        gradient: gradients.get(name),
        first: this.state.firstMoment.get(name),
        second: this.state.secondMoment.get(name),
        gradientScale,
        learningRate,
        weightDecay: this.options.decays(name) ? this.options.weightDecay : 0,
      });
    }
  }

  protected abstract updateTensor(tensor: TensorState): void;
}

/** One tensor of an update: views into the stores. */
export interface TensorState {
  parameter: Float32Array;
  gradient: Float32Array;
  first: Float32Array;
  second: Float32Array;
  gradientScale: number;
  learningRate: number;
  /** 0 where the parameter does not decay. */
  weightDecay: number;
}
