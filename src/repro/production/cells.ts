import type { BuildVectorIndexOptions } from '../../index/vectors/index.js';
import type { TableRow } from '../table/row.js';

/** How long vectors are, and how they came to be. */
export interface Space {
  name: string;
  dimensions: number;
  /** Settings that make a model of it, as `--set` has them. */
  set: readonly string[];
  /** What an index keeps of the model's vectors, where that is not all. */
  kept?: number;
}

/** Whole vectors of MiniLM's size, and 64 numbers in two ways. */
export const SPACES: readonly Space[] = [
  { name: '384', dimensions: 384, set: [] },
  { name: '64 projected', dimensions: 64, set: ['model.head.projection=64'] },
  {
    name: '64 Matryoshka',
    dimensions: 64,
    set: ['loss.name=matryoshka', 'loss.dimensions=[64]'],
    kept: 64,
  },
];

/** How vectors are searched. */
export const SEARCHES: readonly { name: string; index: Pick<BuildVectorIndexOptions, 'type'> }[] = [
  { name: 'exact', index: { type: 'flat' } },
  { name: 'hnsw', index: { type: 'hnsw' } },
  { name: 'int8', index: { type: 'int8' } },
  { name: 'binary', index: { type: 'binary' } },
];

/** What is compared: a retriever as one trains it without an index, and ANCE. */
export const SYSTEMS = [
  { name: 'baseline', recipe: 'dpr' },
  { name: 'ance', recipe: 'ance-firstp' },
] as const;
export type SystemName = (typeof SYSTEMS)[number]['name'];

/** The run that a system needs in a space. */
export function rowOf({ name, recipe }: (typeof SYSTEMS)[number], space: Space): TableRow {
  const row = `${name}-${space.name.replace(' ', '-').toLowerCase()}`;
  return { name: row, system: row, recipe, set: space.set };
}
