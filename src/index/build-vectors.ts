import { NearmissError } from '../base/errors.js';
import {
  QuantizedBuilder,
  type QuantizedOptions,
  writeQuantizedIndex,
} from './quantized/quantized-builder.js';
import { FlatBuilder, type FlatOptions, flatInt8, writeFlatIndex } from './vectors/flat.js';
import { HnswBuilder, type HnswOptions, writeHnswIndex } from './vectors/hnsw/hnsw-builder.js';
import type {
  IndexType,
  SaveOptions,
  VectorIndexBuilder,
  VectorIndexMetadata,
  VectorStorage,
} from './vectors/vector-index.js';

export interface BuildVectorIndexOptions
  extends Omit<HnswOptions, 'storage'>,
    Pick<FlatOptions, 'session' | 'scorer'>,
    Pick<QuantizedOptions, 'lists' | 'probes' | 'rescore'> {
  /** Default `flat`. */
  type?: IndexType;
  storage?: VectorStorage;
}

type Blocks = AsyncIterable<Float32Array> | Iterable<Float32Array>;

/**
 * Starts an index in memory.
 *
 * @example
 * const builder = createVectorIndex({ type: 'hnsw', dimension: 384 });
 * for await (const block of file.blocks(4096)) await builder.add(block);
 * const index = await builder.finish();
 * const { ids, scores } = await index.search(query, { k: 10 });
 */
export function createVectorIndex(options: BuildVectorIndexOptions): VectorIndexBuilder {
  if (options.type === 'hnsw') return new HnswBuilder(options);
  const codes = quantizedOptions(options);
  return codes ? new QuantizedBuilder(codes) : new FlatBuilder(flatOptions(options));
}

/**
 * Builds an index straight into a folder, which appears when it is complete. All may be larger than memory but hnsw,
 * which is built there first.
 */
export async function writeVectorIndex(
  folder: string,
  vectors: Blocks,
  options: BuildVectorIndexOptions & SaveOptions,
): Promise<VectorIndexMetadata> {
  if (options.type === 'hnsw') return writeHnswIndex(folder, vectors, options);
  const { overwrite, extra } = options;
  const codes = quantizedOptions(options);
  if (codes) return writeQuantizedIndex(folder, vectors, { ...codes, overwrite, extra });
  return writeFlatIndex(folder, vectors, { ...flatOptions(options), overwrite, extra });
}

/** Undefined where the type is none that keeps codes. */
function quantizedOptions(options: BuildVectorIndexOptions): QuantizedOptions | undefined {
  const { type, storage, threads, session } = options;
  if (type !== 'int8' && type !== 'binary') return;
  if (storage === 'i8') {
    throw new NearmissError(`${type} keeps whole vectors as f32 or f16, got storage i8`, {
      hint: 'use f16, which takes half the disk: the type says how codes are kept',
    });
  }
  return { ...options, type, storage, session: { threads, ...session } };
}

function flatOptions({ storage, threads, session, ...options }: BuildVectorIndexOptions): FlatOptions {
  if (storage === 'i8') throw flatInt8();
  return { ...options, storage, session: { threads, ...session } };
}
