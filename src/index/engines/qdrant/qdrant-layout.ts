import type { Quantization, VersionDescription, VersionShape } from '../engine.js';

/** Names of a point's vectors. */
export const VECTORS = {
  rows: 'rows',
  /** The mean of a document's rows, whose graph finds candidates for late interaction. */
  mean: 'mean',
  sparse: 'sparse',
} as const;

/** Below which key of a collection's metadata its description is. */
export const DESCRIPTION_KEY = 'nearmiss';

/** Kilobytes of a segment above which Qdrant builds a graph; 0 builds none. */
const INDEXING_KB = 10_000;
/** So many times more candidates are rescored with whole rows. */
const OVERSAMPLING = { int8: 2, binary: 4 } as const;

/** What a collection is created with: graphs are built when everything is there. */
export function collectionOf(description: VersionDescription): Record<string, unknown> {
  const { shape } = description;
  const { shards, replicas = 1 } = shape;
  return {
    vectors: vectorsOf(shape),
    ...(shape.sparse && { sparse_vectors: { [VECTORS.sparse]: {} } }),
    ...(shards !== undefined && { shard_number: shards }),
    replication_factor: replicas,
    // Half of the copies must have a write that is acknowledged: a machine may fail, and writes go on.
    write_consistency_factor: Math.ceil(replicas / 2),
    on_disk_payload: true,
    optimizers_config: { indexing_threshold: 0 },
    metadata: { [DESCRIPTION_KEY]: description },
  };
}

/** What is changed when everything is there. */
export const BUILD_GRAPHS = { optimizers_config: { indexing_threshold: INDEXING_KB } };

/** How a search is done. */
export function searchParams(
  { quantization = 'none' }: VersionShape,
  { exact, efSearch }: { exact?: boolean; efSearch?: number },
): Record<string, unknown> {
  if (exact) return { exact: true, quantization: { ignore: true } };
  return {
    ...(efSearch !== undefined && { hnsw_ef: efSearch }),
    ...(quantization !== 'none' && {
      quantization: { rescore: true, oversampling: OVERSAMPLING[quantization] },
    }),
  };
}

/** Whether late interaction has candidates found for it by the mean of rows. */
export function hasMeans({ compare, exact }: VersionShape): boolean {
  return compare === 'max-sim' && !exact;
}

function vectorsOf(shape: VersionShape): Record<string, unknown> {
  const { dimension, storage, quantization = 'none', compare, exact } = shape;
  if (dimension === undefined) return {};
  const common = {
    size: dimension,
    // Cosine would change the vectors that are stored.
    distance: 'Dot',
    ...(storage === 'f16' && { datatype: 'float16' }),
    ...(quantization !== 'none' && { on_disk: true, quantization_config: quantizationOf(quantization) }),
  };
  const withoutGraph = exact || compare === 'max-sim' ? { hnsw_config: { m: 0 } } : {};
  const several = compare === 'one' ? {} : { multivector_config: { comparator: 'max_sim' } };
  return {
    [VECTORS.rows]: { ...common, ...withoutGraph, ...several },
    ...(hasMeans(shape) && { [VECTORS.mean]: common }),
  };
}

function quantizationOf(quantization: Exclude<Quantization, 'none'>): Record<string, unknown> {
  return quantization === 'int8'
    ? { scalar: { type: 'int8', quantile: 0.99, always_ram: true } }
    : { binary: { always_ram: true } };
}
