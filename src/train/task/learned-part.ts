import type { Optimizer, ParameterStore } from '../../engine/index.js';
import type { PlannedStage } from '../../run/plan.js';
import { optimizerOf } from '../stage-optimizer.js';

/**
 * Parameters that learn beside a model and are not part of it: a projection that is gone when texts are encoded, a head, a
 * teacher. They have the stage's optimizer with moments of their own.
 */
export class LearnedPart {
  readonly parameters: ParameterStore;
  /** Weights and moments, to be saved with the task, so that a resumed run goes on as it would have. */
  readonly state: Readonly<Record<string, ParameterStore>>;
  readonly #optimizer: Optimizer;
  readonly #start: number;

  constructor(
    name: string,
    parameters: ParameterStore,
    { optimizer, start }: Pick<PlannedStage, 'optimizer' | 'start'>,
  ) {
    this.parameters = parameters;
    this.#optimizer = optimizerOf(optimizer, parameters, () => true);
    this.#start = start;
    const moments = Object.entries(this.#optimizer.state).map(([of, store]) => [`${name}-${of}`, store]);
    this.state = { [name]: parameters, ...Object.fromEntries(moments) };
  }

  /** The update of the run's step `step`. */
  update(step: number, gradients: ParameterStore, learningRate: number, gradientScale: number): void {
    this.#optimizer.resumeAt(step - this.#start);
    this.#optimizer.update(gradients, learningRate, gradientScale);
  }
}
