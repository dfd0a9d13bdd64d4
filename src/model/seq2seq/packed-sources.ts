import type { DenseTensor } from '../../engine/index.js';
import { MASKED } from '../encoder/packed-batch.js';
import type { Seq2SeqShape } from './network.js';

export { MASKED };

/** Texts to be read, padded to the longest of them. */
export interface PackedSources {
  texts: number;
  length: number;
  ids: Int32Array;
  positions: Int32Array;
  /** 0 for tokens, a large negative number for padding. */
  bias: Float32Array;
  /** [length, length] places of distances. */
  buckets: Int32Array;
  /** Without padding. */
  tokens: number;
}

export function packSources(sources: readonly ArrayLike<number>[], shape: Seq2SeqShape): PackedSources {
  const texts = sources.length;
  const length = Math.max(...sources.map((source) => source.length));
  const ids = new Int32Array(texts * length).fill(shape.padId);
  const positions = new Int32Array(texts * length);
  const bias = new Float32Array(texts * length).fill(MASKED);
  let tokens = 0;
  sources.forEach((source, text) => {
    const start = text * length;
    for (let t = 0; t < length; t++) {
      positions[start + t] = shape.positionOffset + Math.min(t, source.length - 1);
      if (t < source.length) ids[start + t] = source[t];
    }
    bias.fill(0, start, start + source.length);
    tokens += source.length;
  });
  const buckets = new Int32Array(length * length);
  for (let query = 0; query < length; query++) {
    for (let key = 0; key < length; key++) {
      buckets[query * length + key] = shape.bucket(key - query, 'encoder');
    }
  }
  return { texts, length, ids, positions, bias, buckets, tokens };
}

/** What the inputs of a graph that reads sources are fed. */
export function sourceFeeds(sources: PackedSources): Record<string, DenseTensor> {
  const { texts, length, ids, positions, bias, buckets } = sources;
  const flat = [texts * length];
  return {
    sourceIds: { shape: flat, data: ids },
    sourcePositions: { shape: flat, data: positions },
    sourceTypes: { shape: flat, data: new Int32Array(texts * length) },
    sourceBias: { shape: [texts, length], data: bias },
    sourceBuckets: { shape: [length, length], data: buckets },
  };
}
