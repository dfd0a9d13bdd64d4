import { NearmissError } from '../base/errors.js';

/** Refuses a number of hits that makes no sense. */
export function checkK(k: number): void {
  if (Number.isInteger(k) && k >= 1) return;
  throw new NearmissError(`k: expected a whole number from 1, got ${k}`, { hint: 'k is the number of hits' });
}

/** Takes queries apart that come one after another, each one vector or with `offsets` several rows. */
export function rowsOf(vectors: Float32Array, dimension: number, offsets?: Uint32Array): Float32Array[] {
  if (vectors.length % dimension !== 0) {
    throw new NearmissError(`vectors: expected ${dimension} numbers each, got ${vectors.length} in all`, {
      hint: 'search with vectors of the model that encoded the documents',
    });
  }
  if (offsets) {
    return Array.from({ length: offsets.length - 1 }, (_, i) =>
      vectors.subarray(offsets[i] * dimension, offsets[i + 1] * dimension),
    );
  }
  return Array.from({ length: vectors.length / dimension }, (_, i) =>
    vectors.subarray(i * dimension, (i + 1) * dimension),
  );
}
