import { DEFAULT_CONNECTIVITY } from './hnsw.js';
import type { IndexType, VectorStorage } from './vector-index.js';

export interface CostOptions {
  type: IndexType;
  storage: VectorStorage;
  count: number;
  dimension: number;
  connectivity?: number;
}

const COMPONENT_BYTES: Record<VectorStorage, number> = { f32: 4, f16: 2, i8: 1 };

/**
 * About how many bytes an index takes, in memory and on disk. In a graph of connectivity M a vector has 2M
 * neighbours in the lowest layer and, in the layers above, M for each of 1/(M − 1) layers on average.
 */
export function vectorIndexBytes({
  type,
  storage,
  count,
  dimension,
  connectivity = DEFAULT_CONNECTIVITY,
}: CostOptions): number {
  const vectors = count * dimension * COMPONENT_BYTES[storage];
  if (type === 'flat') return vectors;
  const neighbourBytes = 4;
  const nodeBytes = 14 + (2 * connectivity + connectivity / (connectivity - 1)) * neighbourBytes;
  return vectors + count * nodeBytes;
}
