import { Registry } from '../../base/registry.js';
import { firstKind } from './first.js';
import { meanKind } from './mean.js';
import type { RepresentationKind } from './representation.js';

/** All ways from token states to rows that recipes can name. */
export const representations = new Registry<RepresentationKind>('pooling', [firstKind, meanKind]);
