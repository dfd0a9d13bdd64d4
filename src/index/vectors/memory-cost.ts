import { defaultLists } from '../quantized/quantize.js';
import { CHECKSUM_BYTES } from '../quantized/row-file.js';
import { recordBytes } from '../quantized/scan-kernel.js';
import { DEFAULT_CONNECTIVITY } from './hnsw/hnsw-index.js';
import { TWIN_BYTES } from './hnsw/twins.js';
import type { VectorIndexMetadata, VectorStorage } from './vector-index.js';

export interface CostOptions {
  type: VectorIndexMetadata['type'];
  storage: VectorStorage;
  count: number;
  dimension: number;
  connectivity?: number;
  /**
   * Of an index of tokens how many there are, and how many bits are kept of each component; of others how many numbers are
   * kept of each vector, in how many lists, and of a graph how many are distinct.
   */
  parameters?: Record<string, number>;
}

const COMPONENT_BYTES: Record<VectorStorage, number> = { f32: 4, f16: 2, i8: 1 };

/**
 * About how many bytes an index takes in memory; on disk as many, and those of {@link wholeVectorsBytes}. In a graph of connectivity M a vector has 2M
 * neighbours in the lowest layer and, in the layers above, M for each of 1/(M − 1) layers on average.
 */
export function vectorIndexBytes({
  type,
  storage,
  count,
  dimension,
  connectivity = DEFAULT_CONNECTIVITY,
  parameters = {},
}: CostOptions): number {
  if (type === 'tokens') {
    const { rows = 0, bits = 0, centroids = 0 } = parameters;
    // Beside the rows: centroids, directions and 256 codewords.
    return rows * (4 + Math.ceil((dimension * bits) / 8)) + 4 * dimension * (centroids + dimension + 256);
  }
  // About what a posting takes, and what its block and impacts do.
  if (type === 'impacts') return 6 * (parameters.postings ?? 0);
  const kept = parameters.dimensions ?? dimension;
  if (type === 'int8' || type === 'binary') {
    const lists = parameters.lists ?? defaultLists(count);
    const place = lists > 1 ? 4 : 0;
    return count * (recordBytes(type, kept) + place) + 4 * lists * (kept + 1);
  }
  const vectorBytes = kept * COMPONENT_BYTES[storage];
  if (type !== 'hnsw') return count * vectorBytes;
  const neighbourBytes = 4;
  const nodeBytes = 14 + (2 * connectivity + connectivity / (connectivity - 1)) * neighbourBytes;
  const { distinct = count } = parameters;
  return distinct * (vectorBytes + nodeBytes) + (count - distinct) * TWIN_BYTES;
}

/** Bytes of the whole vectors that an index leaves on disk and reads few of. */
export function wholeVectorsBytes({ type, storage, count, dimension }: CostOptions): number {
  if (type !== 'int8' && type !== 'binary') return 0;
  return count * (dimension * COMPONENT_BYTES[storage] + CHECKSUM_BYTES);
}
