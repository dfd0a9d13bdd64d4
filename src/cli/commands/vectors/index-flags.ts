import { UsageError } from '../../../base/errors.js';
import type { TokenBits } from '../../../index/tokens/residual-codec.js';
import type { IndexType, VectorStorage } from '../../../index/vectors/index.js';
import type { FleetFlags } from '../../fleet/fleet-options.js';

export const BITS = { 1: 1, 2: 2, 4: 4, exact: 'exact' } as const satisfies Record<
  string,
  TokenBits | 'exact'
>;

export interface IndexFlags extends FleetFlags {
  type: IndexType | 'tokens';
  bits?: keyof typeof BITS;
  scorer?: 'poly';
  append?: boolean;
  delete?: boolean;
  storage: VectorStorage;
  connectivity?: number;
  efConstruction?: number;
  threads?: number;
  dimensions?: number;
  lists?: number;
  probes?: number;
  rescore?: number;
  dimension?: number;
  model?: string;
  shardSize?: number;
  overwrite?: boolean;
  quiet?: boolean;
  json?: boolean;
}

/** What only some types have, and what to do where another was named. */
const FLAGS_OF_TYPES = [
  { flag: '--connectivity', key: 'connectivity', types: ['hnsw'], what: 'is for building a graph' },
  { flag: '--ef-construction', key: 'efConstruction', types: ['hnsw'], what: 'is for building a graph' },
  {
    flag: '--threads',
    key: 'threads',
    types: ['hnsw', 'int8', 'binary', 'tokens'],
    what: 'is for building a graph or lists',
  },
  { flag: '--lists', key: 'lists', types: ['int8', 'binary'], what: 'is for codes' },
  { flag: '--probes', key: 'probes', types: ['int8', 'binary'], what: 'is for codes' },
  { flag: '--rescore', key: 'rescore', types: ['int8', 'binary'], what: 'is for codes' },
  { flag: '--scorer', key: 'scorer', types: ['flat'], what: 'is for comparing every vector' },
  { flag: '--bits', key: 'bits', types: ['tokens'], what: 'is for an index of tokens' },
] as const;

/**
 * Refuses what a kind of index does not store.
 *
 * @param typeFlag what the command calls the kind
 */
export function checkStorage(
  { type, storage }: Pick<IndexFlags, 'type' | 'storage'>,
  typeFlag = '--type',
): void {
  if (storage !== 'i8' || type === 'hnsw') return;
  const why = type === 'flat' ? 'a flat index is exact and stores' : `${type} keeps whole vectors on disk as`;
  throw new UsageError(`--storage i8: ${why} f32 or f16`, {
    hint: type === 'flat' ? `use --storage f16, or ${typeFlag} int8` : 'use --storage f16',
  });
}

/** Refuses flags that do not go with each other. */
export function checkFlags(flags: IndexFlags): void {
  const { type } = flags;
  checkStorage(flags);
  if (flags.scorer !== undefined && flags.dimensions !== undefined) {
    throw new UsageError(`--dimensions: vectors that ${flags.scorer} compares are kept whole`, {
      hint: 'leave out --dimensions',
    });
  }
  for (const { flag, key, types, what } of FLAGS_OF_TYPES) {
    if (flags[key] === undefined || types.some((name) => name === type)) continue;
    throw new UsageError(`${flag} ${what}`, { hint: `add --type ${types[0]}, or leave ${flag} out` });
  }
}
