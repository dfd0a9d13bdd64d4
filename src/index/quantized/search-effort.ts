import type { CodeKind } from './scan-kernel.js';

/** Signs of so many dimensions rank well enough; of fewer, more vectors are compared again. */
const GOOD_DIMENSIONS = 256;

/** How many vectors are compared again as whole ones for k wanted, unless it is said (docs/vector-index.md). */
export function defaultRescore(kind: CodeKind, k: number, dimension: number): number {
  if (kind === 'int8') return 10 + Math.ceil(1.5 * k);
  return Math.ceil((60 + 4 * k) * Math.max(1, GOOD_DIMENSIONS / dimension));
}

/** In how many lists a search looks, unless it is said: one in ten, and 8 (docs/vector-index.md). */
export function defaultProbes(lists: number): number {
  return Math.max(1, Math.min(lists, Math.ceil(lists / 10) + 8));
}
