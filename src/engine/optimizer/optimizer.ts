import type { ParameterStore } from '../parameters.js';

/** Updates parameters in place from their gradients. */
export interface Optimizer {
  readonly name: string;
  /** Steps taken so far. */
  readonly step: number;
  /** Numbers to save and restore for an exact resume, by name; same layout as the parameters. */
  readonly state: Readonly<Record<string, ParameterStore>>;
  /** @param gradientScale factor of every gradient, e.g. from {@link clipFactor}: saves a pass over all of them. Default 1. */
  update(gradients: ParameterStore, learningRate: number, gradientScale?: number): void;
  /** Goes on from a saved state: `state` has been filled, `step` updates were made. */
  resumeAt(step: number): void;
}

export interface OptimizerOptions {
  beta1?: number;
  beta2?: number;
  epsilon?: number;
  weightDecay?: number;
  /** Which parameters decay; all of them by default. */
  decays?: (name: string) => boolean;
  /** Which parameters are updated at all; the others have no moments, no gradients and do not decay. All by default. */
  learns?: (name: string) => boolean;
}

/** The usual choice for `decays`: weights, but neither biases nor LayerNorms. */
export function isWeightMatrix(name: string): boolean {
  return !name.endsWith('.bias') && !/norm/i.test(name);
}
