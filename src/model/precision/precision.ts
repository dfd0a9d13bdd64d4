import type { SessionOptions } from '../../engine/index.js';

/**
 * In which numbers an encoder multiplies: `fp32`; `int8` (weights and activations of its linear layers in 8 bits, all else
 * in fp32); `auto`: int8 where it is measured to be faster on this machine and to stay close, else fp32.
 */
export const PRECISIONS = ['fp32', 'int8', 'auto'] as const;

export type Precision = (typeof PRECISIONS)[number];

/** What was used in the end. */
export type UsedPrecision = Exclude<Precision, 'auto'>;

/** How a model is run that only encodes. */
export interface EncodingSession extends SessionOptions {
  /** Default fp32. */
  precision?: Precision;
}

/** What an index says made its vectors: the model's name, and the precision where it is not fp32. */
export function madeWith(model: string, precision: UsedPrecision): string {
  return precision === 'fp32' ? model : `${model}, ${precision}`;
}
