import { NearmissError } from '../../base/errors.js';
import { emitOnnx, Graph, matmul, Random, Session, type SessionOptions, topK } from '../../engine/index.js';

/** Vectors that are assigned at once. */
const CHUNK = 4096;

export interface KMeansOptions {
  dimension: number;
  clusters: number;
  seed: number;
  /** Rounds at most; it ends earlier where nothing changes any more. Default 20. */
  rounds?: number;
  session?: SessionOptions;
  /** Told after each round; ends the work where it throws. */
  onRound?: (round: number, rounds: number) => void | Promise<void>;
}

export interface Clusters {
  /** Each vector's cluster. */
  assigned: Int32Array;
  /** clusters × dimension, each of length 1, or 0 where its vectors cancel each other out. */
  centroids: Float32Array;
}

/**
 * Groups vectors by direction: each belongs to the centroid that it has the largest inner product with, and a centroid is the
 * mean of its vectors, of length 1. A centroid that loses all its vectors takes over the one that fits its own worst. The
 * same seed gives the same clusters.
 */
export async function sphericalKMeans(
  vectors: Float32Array,
  { dimension, clusters, seed, rounds = 20, session, onRound }: KMeansOptions,
): Promise<Clusters> {
  const count = vectors.length / dimension;
  if (clusters > count) {
    throw new NearmissError(
      `expected at most as many clusters as there are vectors, ${count}, got ${clusters}`,
      {
        hint: 'ask for fewer clusters',
      },
    );
  }
  const centroids = startingCentroids(vectors, { dimension, clusters, seed });
  let assigned: Int32Array = new Int32Array(count).fill(-1);
  const assigner = await openAssigner(dimension, session);
  try {
    for (let round = 0; round < rounds; round++) {
      const { places, fits } = await assigner.assign(vectors, centroids);
      fillEmpty(places, fits, clusters);
      const isSame = places.every((cluster, i) => cluster === assigned[i]);
      assigned = places;
      if (isSame) break;
      moveCentroids(centroids, vectors, assigned, dimension);
      await onRound?.(round + 1, rounds);
    }
  } finally {
    await assigner.release();
  }
  return { assigned, centroids };
}

function startingCentroids(
  vectors: Float32Array,
  { dimension, clusters, seed }: Pick<KMeansOptions, 'dimension' | 'clusters' | 'seed'>,
): Float32Array {
  const order = Int32Array.from({ length: vectors.length / dimension }, (_, i) => i);
  const chosen = Random.from(seed, 'k-means').shuffle(order).subarray(0, clusters);
  const centroids = new Float32Array(clusters * dimension);
  chosen.forEach((vector, cluster) => {
    centroids.set(vectors.subarray(vector * dimension, (vector + 1) * dimension), cluster * dimension);
    normalize(centroids.subarray(cluster * dimension, (cluster + 1) * dimension));
  });
  return centroids;
}

/** Finds the centroid that each vector has the largest inner product with. */
export interface Assigner {
  /** For each vector the place of its centroid, and their inner product. */
  assign(vectors: Float32Array, centroids: Float32Array): Promise<{ places: Int32Array; fits: Float32Array }>;
  release(): Promise<void>;
}

/** The engine multiplies and finds the largest. */
export async function openAssigner(dimension: number, options?: SessionOptions): Promise<Assigner> {
  const graph = new Graph();
  const products = matmul(
    graph.input('vectors', ['vectors', dimension]),
    graph.input('centroids', ['clusters', dimension]),
    { transposeB: true },
  );
  const one = graph.constant({ shape: [1], data: BigInt64Array.of(1n) });
  const { values, indices } = topK(products, one, 1);
  const session = await Session.create(emitOnnx(graph, { outputs: { values, indices } }), options);
  return {
    async assign(vectors, centroids) {
      const count = vectors.length / dimension;
      const places = new Int32Array(count);
      const fits = new Float32Array(count);
      const shape = [centroids.length / dimension, dimension];
      for (let start = 0; start < count; start += CHUNK) {
        const part = vectors.subarray(start * dimension, (start + CHUNK) * dimension);
        const result = await session.run({
          vectors: { shape: [part.length / dimension, dimension], data: part },
          centroids: { shape, data: centroids },
        });
        places.set(result.indices.data as Int32Array, start);
        fits.set(result.values.data as Float32Array, start);
      }
      return { places, fits };
    },
    release: () => session.release(),
  };
}

/** Gives each empty cluster the vector that fits its own worst, of those whose cluster has others. */
function fillEmpty(places: Int32Array, fits: Float32Array, clusters: number): void {
  const sizes = new Int32Array(clusters);
  for (const cluster of places) sizes[cluster]++;
  const worstFirst = Array.from(fits.keys()).sort((a, b) => fits[a] - fits[b] || a - b);
  let next = 0;
  for (let cluster = 0; cluster < clusters; cluster++) {
    if (sizes[cluster] > 0) continue;
    while (sizes[places[worstFirst[next]]] < 2) next++;
    sizes[places[worstFirst[next]]]--;
    places[worstFirst[next++]] = cluster;
    sizes[cluster] = 1;
  }
}

function moveCentroids(
  centroids: Float32Array,
  vectors: Float32Array,
  places: Int32Array,
  dimension: number,
): void {
  centroids.fill(0);
  places.forEach((cluster, vector) => {
    for (let i = 0; i < dimension; i++) centroids[cluster * dimension + i] += vectors[vector * dimension + i];
  });
  for (let start = 0; start < centroids.length; start += dimension) {
    normalize(centroids.subarray(start, start + dimension));
  }
}

/** Where vectors cancel each other out there is no direction, and the centroid stays 0. */
function normalize(vector: Float32Array): void {
  const length = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] /= length;
}
