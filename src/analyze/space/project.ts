import { UMAP } from 'umap-js';
import { Random } from '../../engine/index.js';
import { cosineDistances, normalized, type VectorTable } from './distances.js';
import type { Projection } from './space-picture.js';
import { tsne } from './tsne.js';

/** Lays vectors out in the plane by their cosine distances: x and y of each. The same seed gives the same picture. */
export function project(table: VectorTable, options: { method: Projection; seed: number }): Float64Array {
  return options.method === 'tsne' ? tsne(cosineDistances(table), options) : umap(table, options.seed);
}

const NEIGHBOURS = 15;

function umap(table: VectorTable, seed: number): Float64Array {
  const { dimension } = table;
  const unit = normalized(table);
  const count = unit.length / dimension;
  // Below that it has no neighbourhoods to keep.
  if (count < 4) return tsne(cosineDistances(table), { seed });
  const random = Random.from(seed, 'umap');
  const fitted = new UMAP({
    nComponents: 2,
    nNeighbors: Math.min(NEIGHBOURS, count - 1),
    random: () => random.uniform(),
    distanceFn: cosine,
  }).fit(Array.from({ length: count }, (_, i) => [...unit.subarray(i * dimension, (i + 1) * dimension)]));
  return Float64Array.from(fitted.flat());
}

/** Of unit vectors. */
function cosine(a: number[], b: number[]): number {
  let dot = 0;
  for (let k = 0; k < a.length; k++) dot += a[k] * b[k];
  return Math.max(0, 1 - dot);
}
