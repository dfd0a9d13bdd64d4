import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { affinities } from './affinities.js';
import { cosineDistances, type VectorTable } from './distances.js';
import { project } from './project.js';
import { PROJECTIONS } from './space-picture.js';
import { tsne } from './tsne.js';
import { tsneGradient } from './tsne-gradient.js';

const CLUSTERS = 3;
const EACH = 25;

/** Points around three directions, one cluster after another. */
function clustered(dimension = 16): VectorTable {
  const random = Random.from(7, 'clusters');
  const normal = (size: number): number[] => Array.from({ length: size }, () => random.normal());
  const vectors = Array.from({ length: CLUSTERS }, () => normal(dimension)).flatMap((center) =>
    Array.from({ length: EACH }, () => normal(dimension).map((noise, k) => center[k] + 0.15 * noise)),
  );
  return { vectors: Float32Array.from(vectors.flat()), dimension };
}

function nearestOther(xy: Float64Array, i: number): number {
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (let j = 0; j < xy.length / 2; j++) {
    const distance = Math.hypot(xy[2 * i] - xy[2 * j], xy[2 * i + 1] - xy[2 * j + 1]);
    if (j !== i && distance < least) [best, least] = [j, distance];
  }
  return best;
}

function random2d(count: number, seed: number): Float64Array {
  const random = Random.from(seed, 'places');
  return Float64Array.from({ length: 2 * count }, () => random.normal());
}

describe('distances', () => {
  test('are 1 − cos, whatever the lengths', () => {
    const distances = cosineDistances({ vectors: Float32Array.of(2, 0, 0, 5, -3, 0), dimension: 2 });
    expect([...distances]).toEqual([0, 1, 2, 1, 0, 1, 2, 1, 0]);
  });
});

describe('t-SNE', () => {
  test('affinities are symmetric, sum to 1 and have the perplexity', () => {
    const distances = cosineDistances(clustered());
    const count = CLUSTERS * EACH;
    const joint = affinities(distances, 10);
    expect(joint.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 6);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) expect(joint[i * count + j]).toBe(joint[j * count + i]);
    }
    // Four corners of a square look alike to each of them: the rows of the joint are the conditionals over n.
    const square = Float64Array.of(0, 1, 2, 1, 1, 0, 1, 2, 2, 1, 0, 1, 1, 2, 1, 0);
    const row = [...affinities(square, 2.5).subarray(0, 4)].filter((p) => p > 0).map((p) => 4 * p);
    expect(Math.exp(-row.reduce((sum, p) => sum + p * Math.log(p), 0))).toBeCloseTo(2.5, 4);
  });

  test('its gradient is that of finite differences', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 9 }),
        fc.integer({ min: 0, max: 1000 }),
        fc.constantFrom(1, 4),
        (count, seed, exaggeration) => {
          const vectors = Float32Array.from(random2d(2 * count, seed + 1));
          const probabilities = affinities(cosineDistances({ vectors, dimension: 4 }), 2);
          const places = random2d(count, seed);
          const gradient = new Float64Array(2 * count);
          tsneGradient({ probabilities, places, gradient, exaggeration: 1 });
          const at = (k: number, by: number): number => {
            const moved = places.slice();
            moved[k] += by;
            return tsneGradient({ probabilities, places: moved, gradient: new Float64Array(2 * count) });
          };
          for (let k = 0; k < 2 * count; k++) {
            expect(gradient[k]).toBeCloseTo((at(k, 1e-5) - at(k, -1e-5)) / 2e-5, 6);
          }
          // With more weight on the attraction, the repulsion stays as it is.
          const stronger = new Float64Array(2 * count);
          tsneGradient({ probabilities, places, gradient: stronger, exaggeration });
          const none = new Float64Array(2 * count);
          tsneGradient({ probabilities, places, gradient: none, exaggeration: 0 });
          for (let k = 0; k < 2 * count; k++) {
            expect(stronger[k] - none[k]).toBeCloseTo(exaggeration * (gradient[k] - none[k]), 9);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('ends with a smaller divergence than it begins with', () => {
    const distances = cosineDistances(clustered());
    const probabilities = affinities(distances, (CLUSTERS * EACH - 1) / 3);
    const divergence = (places: Float64Array): number =>
      tsneGradient({ probabilities, places, gradient: new Float64Array(places.length) });
    expect(divergence(tsne(distances, { seed: 1 }))).toBeLessThan(
      0.5 * divergence(random2d(CLUSTERS * EACH, 1)),
    );
  });
});

describe.each(PROJECTIONS)('%s', (method) => {
  test('keeps clusters apart', () => {
    const xy = project(clustered(), { method, seed: 1 });
    for (let i = 0; i < CLUSTERS * EACH; i++) {
      expect(Math.floor(nearestOther(xy, i) / EACH)).toBe(Math.floor(i / EACH));
    }
  });

  test('gives the same picture for the same seed and another for another', () => {
    const table = clustered();
    const first = project(table, { method, seed: 1 });
    expect(project(table, { method, seed: 1 })).toEqual(first);
    expect(project(table, { method, seed: 2 })).not.toEqual(first);
  });

  test('places one point, few, and many that are equal', () => {
    for (const count of [1, 2, 3, 4, 12]) {
      const vectors = new Float32Array(3 * count).fill(0.5);
      const xy = project({ vectors, dimension: 3 }, { method, seed: 1 });
      expect(xy).toHaveLength(2 * count);
      expect(xy.every(Number.isFinite)).toBe(true);
    }
  });
});
