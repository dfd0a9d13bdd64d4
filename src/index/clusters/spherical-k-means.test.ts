import { expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { sphericalKMeans } from './index.js';

const DIMENSION = 4;

/** Vectors around some of the axes, one kind after another. */
function around(axes: readonly number[], each: number): Float32Array {
  const random = Random.from(5, 'around');
  return Float32Array.from(
    axes.flatMap((axis) =>
      Array.from(
        { length: each * DIMENSION },
        (_, i) => Number(i % DIMENSION === axis) + 0.1 * random.normal(),
      ),
    ),
  );
}

const options = { dimension: DIMENSION, seed: 1, session: { threads: 1 } };

test('finds directions that lie together, whatever the lengths, and the same again', async () => {
  const vectors = around([0, 1, 2], 30);
  for (let i = 0; i < 40; i++) vectors[i] *= 3;
  const found = await sphericalKMeans(vectors, { ...options, clusters: 3 });
  const kinds = [0, 30, 60].map((start) => new Set(found.assigned.subarray(start, start + 30)));
  expect(kinds.map(({ size }) => size)).toEqual([1, 1, 1]);
  expect(new Set(found.assigned).size).toBe(3);
  expect(await sphericalKMeans(vectors, { ...options, clusters: 3 })).toEqual(found);
});

test('leaves no cluster empty, even of vectors that are all the same', async () => {
  const found = await sphericalKMeans(new Float32Array(8 * DIMENSION).fill(1), { ...options, clusters: 5 });
  expect(new Set(found.assigned).size).toBe(5);
});

test('more clusters than vectors are refused', async () => {
  await expect(sphericalKMeans(around([0], 3), { ...options, clusters: 4 })).rejects.toThrow(
    'expected at most as many clusters as there are vectors, 3, got 4',
  );
});
