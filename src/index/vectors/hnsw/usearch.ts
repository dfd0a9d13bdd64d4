import { createRequire } from 'node:module';
import type { ScalarKind, Index as UsearchIndex } from 'usearch';
import type { VectorStorage } from '../vector-index.js';

// Required, not imported: imported from a script that has no file (`node -e`), it never finishes loading.
const { Index, MetricKind } = createRequire(import.meta.url)('usearch') as typeof import('usearch');

export interface GraphOptions {
  dimension: number;
  storage: VectorStorage;
  connectivity: number;
  efConstruction: number;
}

/** A row of matches for each query: `counts` says how many of the `wanted` places are filled. */
export interface GraphMatches {
  ids: Int32Array;
  distances: Float32Array;
  counts: Int32Array;
}

/**
 * The edge to the usearch library: its keys are BigInts, its distances 1 − inner product, its answer to a single
 * query has another form, and it leaves most checks to the caller.
 */
export class UsearchGraph {
  readonly #index: UsearchIndex;

  constructor({ dimension, storage, connectivity, efConstruction }: GraphOptions) {
    this.#index = new Index({
      dimensions: dimension,
      metric: MetricKind.IP,
      quantization: storage as ScalarKind,
      connectivity,
      expansion_add: efConstruction,
      // The effort of a search is the larger of this and the number of matches wanted: see `search`.
      expansion_search: 1,
      multi: false,
    });
  }

  get size(): number {
    return this.#index.size();
  }

  /** Adds vectors, one for each id; 8-bit vectors come quantised already. */
  add(ids: ArrayLike<number>, vectors: Float32Array | Int8Array, threads: number): void {
    const keys = new BigUint64Array(ids.length);
    const words = new Uint32Array(keys.buffer);
    for (let i = 0; i < keys.length; i++) words[2 * i] = ids[i];
    this.#index.add(keys, asGiven(vectors), threads);
  }

  /** Finds the nearest `wanted`; wanting more also widens the beam of the search (ef). */
  search(queries: Float32Array | Int8Array, wanted: number, threads: number): GraphMatches {
    const matches = this.#index.search(asGiven(queries) as Float32Array, wanted, threads);
    const counts = 'counts' in matches ? (matches.counts as BigUint64Array) : [matches.keys.length];
    return {
      ids: lowWords(matches.keys),
      distances: matches.distances,
      counts: Int32Array.from(counts as ArrayLike<bigint | number>, Number),
    };
  }

  save(path: string): void {
    this.#index.save(path);
  }

  /** Reads a file into memory, or maps it (`disk`), which costs memory only for what searches touch. */
  open(path: string, access: 'memory' | 'disk'): void {
    if (access === 'disk') this.#index.view(path);
    else this.#index.load(path);
  }
}

/** The lower halves of keys, which hold all there is; a BigInt for each would be slow. */
function lowWords(keys: BigUint64Array): Int32Array {
  const words = new Int32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const low = new Int32Array(keys.length);
  for (let i = 0; i < low.length; i++) low[i] = words[2 * i];
  return low;
}

/**
 * The library's JavaScript turns every array that is not a Float32Array into one, and its native part would then
 * scale each vector to length 1 to fit 8 bits, which ranks by cosine in place of inner product. It looks only at
 * `constructor`; the native part accepts 8-bit arrays as they are.
 */
function asGiven(vectors: Float32Array | Int8Array): Float32Array | Int8Array {
  if (vectors instanceof Int8Array) Object.defineProperty(vectors, 'constructor', { value: Float32Array });
  return vectors;
}
