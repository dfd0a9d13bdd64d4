import type { z } from 'zod';
import { type Kind, type OptionsOf, Registry } from '../../base/registry.js';
import { between, positive } from '../../base/settings.js';
import type { ParameterStore } from '../parameters.js';
import { AdamW } from './adamw.js';
import { Lamb } from './lamb.js';
import type { Optimizer, OptimizerOptions } from './optimizer.js';

/** What every optimizer is given besides the options of its kind. */
export type SharedOptions = Required<Pick<OptimizerOptions, 'weightDecay' | 'decays' | 'learns'>>;

/** A value of the optimizer axis. */
export interface OptimizerKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** An optimizer at its beginning; its `name` is the kind's. */
  create(parameters: ParameterStore, options: OptionsOf<Shape> & SharedOptions): Optimizer;
}

/** Gives a kind's options their types. */
function optimizerKind<Shape extends z.ZodRawShape>(kind: OptimizerKind<Shape>): OptimizerKind {
  return kind as unknown as OptimizerKind;
}

const momentOptions = {
  beta1: between(0, 1, { open: 'most' }).default(0.9).describe('decay of the first moment'),
  beta2: between(0, 1, { open: 'most' }).default(0.999).describe('decay of the second moment'),
  epsilon: positive().default(1e-8).describe('added to the denominator'),
};

/** All optimizers that recipes can name. */
export const optimizers = new Registry<OptimizerKind>('optimizer', [
  optimizerKind({
    name: 'adamw',
    description: 'Adam with decay of weights apart from the gradient (Loshchilov & Hutter 2019)',
    options: momentOptions,
    create: (parameters, options) => new AdamW(parameters, options),
  }),
  optimizerKind({
    name: 'lamb',
    description: 'one trust ratio for each tensor, for large batches (You et al. 2020), as ANCE trains',
    options: momentOptions,
    create: (parameters, options) => new Lamb(parameters, options),
  }),
]);
