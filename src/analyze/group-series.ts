import type { LayerGroup } from '../model/encoder/layer-groups.js';
import { finite, type Series, thin } from './series.js';

/** The order in which layer groups are shown: from the input up. */
const GROUPS: readonly LayerGroup[] = ['embeddings', 'bottom', 'middle', 'top', 'head'];

/** The layer groups that any of several models has: shallow ones have no top or no middle. */
export function groupsIn(norms: readonly Record<string, unknown>[]): string[] {
  return GROUPS.filter((group) => norms.some((one) => group in one));
}

/** Curves of the layer groups that a model has, of at most `most` points each. */
export function groupSeries(norms: Record<string, readonly number[]>, most?: number): Record<string, Series> {
  return Object.fromEntries(groupsIn([norms]).map((group) => [group, thin(finite(norms[group]), most)]));
}
