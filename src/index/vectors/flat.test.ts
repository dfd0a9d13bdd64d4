import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exists } from '../../base/files.js';
import { createVectorIndex, writeVectorIndex } from '../build-vectors.js';
import type { FlatIndex } from './flat.js';
import { openVectorIndex } from './open.js';
import { bruteForce, clusteredVectors, rowOf } from './vectors.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-flat-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('more vectors and queries than fit one block, streamed to disk, in any access: exact', async () => {
  const options = { dimension: 8, clusters: 20, seed: 6 };
  const vectors = clusteredVectors({ ...options, count: 140_003, part: 'vectors' });
  const queries = clusteredVectors({ ...options, count: 530, part: 'queries' });
  function* blocks(): Generator<Float32Array> {
    for (let i = 0; i < vectors.length; i += 8 * 30_000) yield vectors.subarray(i, i + 8 * 30_000);
  }
  const path = join(folder, 'streamed');
  const written = await writeVectorIndex(path, blocks(), { dimension: 8 });
  const builder = createVectorIndex({ dimension: 8 });
  for (const block of blocks()) await builder.add(block);
  const index = await builder.finish();
  expect(written).toEqual(index.metadata);

  const result = await index.search(queries, { k: 150 });
  const sample = [0, 127, 128, 529];
  for (const row of sample) {
    const query = queries.subarray(row * 8, (row + 1) * 8);
    const truth = bruteForce(vectors, query, { dimension: 8, k: 150 });
    const { ids, scores } = rowOf(result, row);
    scores.forEach((score, rank) => {
      expect(score).toBeCloseTo(truth.scores[0][rank], 5);
    });
    expect(new Set(ids).size).toBe(150);
  }
  for (const access of ['memory', 'disk'] as const) {
    const opened = await openVectorIndex(path, { access });
    expect(await opened.search(queries, { k: 150 })).toEqual(result);
    await opened.close();
  }
});

test('thousands of equal vectors stay in the order of their ids across blocks', async () => {
  const builder = createVectorIndex({ dimension: 3 });
  await builder.add(Float32Array.from({ length: 3 * 140_000 }, (_, i) => [0.1, 0.2, 0.3][i % 3]));
  const index = await builder.finish();
  for (const queries of [1, 2, 5]) {
    const result = await index.search(new Float32Array(3 * queries).fill(0.7), { k: 300 });
    expect(rowOf(result, queries - 1).ids).toEqual(Array.from({ length: 300 }, (_, id) => id));
  }
});

test('half precision refuses what it cannot hold', async () => {
  const builder = createVectorIndex({ dimension: 2, storage: 'f16' });
  await builder.add(Float32Array.of(1, 65504));
  await expect(builder.add(Float32Array.of(1, 2, 3, -65520))).rejects.toThrow(
    'vectors: row 2, component 1: -65520 is too large for f16 (at most 65504)',
  );
});

test('8 bits are refused, since the result would not be exact', () => {
  expect(() => createVectorIndex({ dimension: 2, storage: 'i8' })).toThrow('stores f32 or f16, got i8');
});

test('a build that fails leaves nothing behind', async () => {
  const path = join(folder, 'broken');
  const blocks = [Float32Array.of(1, 2), Float32Array.of(Number.NaN, 2)];
  await expect(writeVectorIndex(path, blocks, { dimension: 2 })).rejects.toThrow('row 1, component 0');
  expect(await exists(path)).toBe(false);
});

test.each(['memory', 'disk'] as const)(
  'gives stored vectors back by id, in the order asked for, from %s',
  async (access) => {
    const vectors = clusteredVectors({ dimension: 8, clusters: 4, seed: 3, count: 140_003, part: 'vectors' });
    for (const storage of ['f32', 'f16'] as const) {
      const path = join(folder, `rows-${storage}-${access}`);
      await writeVectorIndex(path, [vectors], { dimension: 8, storage });
      const index = (await openVectorIndex(path, { access })) as FlatIndex;
      const ids = [140_002, 0, 131_072, 0, 131_071];
      const rows = await index.vectors(ids);
      const expected = ids.flatMap((id) => [...vectors.subarray(id * 8, (id + 1) * 8)]);
      expect(rows.length).toBe(expected.length);
      rows.forEach((value, i) => {
        expect(Math.abs(value - expected[i])).toBeLessThanOrEqual(
          storage === 'f32' ? 0 : Math.abs(expected[i]) / 1024 + 1e-7,
        );
      });
      await index.close();
    }
  },
);
