import { Registry } from '../../base/registry.js';
import { firstKind } from './first.js';
import { meanKind } from './mean.js';
import type { Representation, RepresentationKind } from './representation.js';

/** All ways from token states to rows that recipes can name. */
export const representations = new Registry<RepresentationKind>('pooling', [firstKind, meanKind]);

/** A head's pooling: the kind's name, and its options where it has some. */
export interface Pooling {
  pooling: string;
  poolingOptions?: Record<string, unknown>;
}

/** What a head's pooling stands for; fails where no kind of that name is registered. */
export function representationOf({ pooling, poolingOptions = {} }: Pooling): Representation {
  return representations.get(pooling).create(poolingOptions);
}
