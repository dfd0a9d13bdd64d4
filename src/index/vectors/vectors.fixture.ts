import { Random } from '../../engine/random.js';
import type { SearchResult } from './vector-index.js';

export interface ClusteredOptions {
  count: number;
  dimension: number;
  clusters: number;
  seed: number;
  /** What the vectors are for: other parts draw other vectors around the same centres. */
  part: string;
}

/** Unit vectors around random centres, about as far from them as the centres are from each other. */
export function clusteredVectors({ count, dimension, clusters, seed, part }: ClusteredOptions): Float32Array {
  const centres = new Float32Array(clusters * dimension);
  const centreRandom = Random.from(seed, 'centres');
  for (let i = 0; i < centres.length; i++) centres[i] = centreRandom.normal();
  const random = Random.from(seed, 'vectors', part);
  const vectors = new Float32Array(count * dimension);
  for (let row = 0; row < count; row++) {
    const centre = random.integer(clusters) * dimension;
    const vector = vectors.subarray(row * dimension, (row + 1) * dimension);
    let square = 0;
    for (let i = 0; i < dimension; i++) {
      vector[i] = centres[centre + i] + random.normal();
      square += vector[i] ** 2;
    }
    for (let i = 0; i < dimension; i++) vector[i] /= Math.sqrt(square);
  }
  return vectors;
}

/** The true result, by sorting everything, summed in float64. */
export function bruteForce(
  vectors: Float32Array,
  queries: Float32Array,
  { dimension, k }: { dimension: number; k: number },
): { ids: number[][]; scores: number[][] } {
  const count = vectors.length / dimension;
  const ids: number[][] = [];
  const scores: number[][] = [];
  for (let query = 0; query < queries.length / dimension; query++) {
    const products = Array.from({ length: count }, (_, row) => {
      let sum = 0;
      for (let i = 0; i < dimension; i++)
        sum += queries[query * dimension + i] * vectors[row * dimension + i];
      return sum;
    });
    const order = [...products.keys()].sort((a, b) => products[b] - products[a] || a - b).slice(0, k);
    ids.push(order);
    scores.push(order.map((id) => products[id]));
  }
  return { ids, scores };
}

/** One query's part of a result. */
export function rowOf(result: SearchResult, row: number): { ids: number[]; scores: number[] } {
  const [from, to] = [row * result.k, (row + 1) * result.k];
  return { ids: [...result.ids.subarray(from, to)], scores: [...result.scores.subarray(from, to)] };
}

/** The share of the true top k that was found. */
export function recall(result: SearchResult, truth: { ids: ArrayLike<number>[] }): number {
  let found = 0;
  let wanted = 0;
  truth.ids.forEach((ids, row) => {
    const got = new Set(rowOf(result, row).ids);
    for (let i = 0; i < ids.length; i++) if (got.has(ids[i])) found++;
    wanted += ids.length;
  });
  return found / wanted;
}
