import { z } from 'zod';
import type { PairMaker } from './pair-maker.js';

/** A maker's options where nobody has said any. */
export function defaultOptions(maker: PairMaker): object {
  return z.object(maker.options).parse({});
}
