import type { ParameterStore } from '../parameters.js';
import { MomentOptimizer, type TensorState } from './moment-optimizer.js';
import type { OptimizerOptions } from './optimizer.js';

/**
 * AdamW (Loshchilov & Hutter 2019), equal to PyTorch's: bias correction, decay apart from the gradient. Rows
 * of an embedding table that a batch did not touch decay and coast on their momentum like everything else.
 */
export class AdamW extends MomentOptimizer {
  readonly name = 'adamw';

  constructor(parameters: ParameterStore, options: OptimizerOptions = {}) {
    super(parameters, { epsilon: 1e-8, ...options });
  }

  protected updateTensor(tensor: TensorState): void {
    const { beta1, beta2, epsilon } = this.options;
    updateTensor({
      ...tensor,
      keep: 1 - tensor.learningRate * tensor.weightDecay,
      beta1,
      beta2,
      epsilon,
      stepSize: tensor.learningRate / (1 - beta1 ** this.step),
      correction: 1 / Math.sqrt(1 - beta2 ** this.step),
    });
  }
}

interface TensorUpdate extends TensorState {
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
