import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NearmissError } from '../../base/errors.js';
import { Random } from '../../engine/random.js';
import { type BuildVectorIndexOptions, createVectorIndex } from '../build-vectors.js';
import { openVectorIndex } from './open.js';
import type { IndexType, SearchResult, VectorIndex, VectorSearcher, VectorStorage } from './vector-index.js';
import { bruteForce, clusteredVectors, recall, rowOf } from './vectors.fixture.js';
import { openVectorIndexInWorker } from './worker-index.js';

export interface Conformance {
  type: IndexType;
  storage: VectorStorage;
  /** Options of the type, and what they are called. */
  options?: Pick<BuildVectorIndexOptions, 'lists' | 'probes' | 'rescore'>;
  name?: string;
  /** How far a score may be from the true one, relative to the lengths of the two vectors. */
  tolerance: number;
  /** The least recall, on small random sets and of the top 200 of clustered data. */
  recall: number;
}

/** What every vector index must do; one call for each type and storage. */
export function vectorIndexConformance({
  type,
  storage,
  options = {},
  name = '',
  tolerance,
  recall: leastRecall,
}: Conformance): void {
  // One thread, because the graph of hnsw depends on the timing of several.
  const build = async (dimension: number, ...blocks: Float32Array[]): Promise<VectorIndex> => {
    const builder = createVectorIndex({
      type,
      storage,
      dimension,
      model: 'conformance',
      threads: 1,
      ...options,
    });
    for (const block of blocks) await builder.add(block);
    return builder.finish();
  };

  describe(`${type} ${storage} ${name}`, () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'nearmiss-index-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    test('finds what brute force finds, in blocks of any size', async () => {
      const size = fc.integer({ min: 1, max: 40 });
      const counts = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 3 });
      const tally = { close: 0, wanted: 0 };
      await fc.assert(
        fc.asyncProperty(size, counts, size, fc.integer(), async (dimension, blockRows, k, seed) => {
          const random = Random.from(seed, 'conformance');
          const draw = (rows: number): Float32Array =>
            Float32Array.from({ length: rows * dimension }, () => 3 * random.normal());
          const blocks = blockRows.map(draw);
          const vectors = Float32Array.from(blocks.flatMap((block) => [...block]));
          const queries = draw(1 + random.integer(5));
          const index = await build(dimension, ...blocks);
          tallyClose(await index.search(queries, { k }), { vectors, queries, dimension }, tally);
          await index.close();
        }),
        { numRuns: 40, seed: 3 },
      );
      expect(tally.close / tally.wanted).toBeGreaterThanOrEqual(leastRecall);
    });

    test('one vector', async () => {
      const index = await build(3, Float32Array.of(1, 2, 3));
      const { ids, scores } = rowOf(await index.search(Float32Array.of(0, 1, 1), { k: 2 }), 0);
      expect(ids).toEqual([0, -1]);
      expect(scores[0]).toBeCloseTo(5, tolerance < 1e-2 ? 3 : 0);
      expect(scores[1]).toBe(Number.NEGATIVE_INFINITY);
    });

    test('no vectors, no queries', async () => {
      const empty = await build(3);
      expect(empty.metadata.count).toBe(0);
      expect(rowOf(await empty.search(Float32Array.of(1, 2, 3), { k: 2 }), 0).ids).toEqual([-1, -1]);
      await empty.save(join(folder, 'empty'));
      for (const access of ['memory', 'disk'] as const) {
        const opened = await openVectorIndex(join(folder, 'empty'), { access });
        expect(rowOf(await opened.search(Float32Array.of(1, 2, 3), { k: 1 }), 0).ids).toEqual([-1]);
        await opened.close();
      }
      const full = await build(3, Float32Array.of(1, 2, 3));
      expect((await full.search(new Float32Array(0), { k: 2 })).ids).toHaveLength(0);
    });

    test('equal vectors come in the order of their ids', async () => {
      const [a, b] = [
        [1, 0.5],
        [0.5, 0.25],
      ];
      const index = await build(2, Float32Array.from([b, a, b, a, a, b].flat()));
      const { ids, scores } = rowOf(await index.search(Float32Array.of(1, 1), { k: 6 }), 0);
      expect(ids).toEqual([1, 3, 4, 0, 2, 5]);
      expect(new Set(scores).size).toBe(2);
    });

    test('finds what is there where nine in ten vectors are copies of others', async () => {
      const shape = { dimension: 24, clusters: 9, seed: 6 };
      const distinct = clusteredVectors({ ...shape, count: 300, part: 'vectors' });
      const queries = clusteredVectors({ ...shape, count: 20, part: 'queries' });
      const random = Random.from(6, 'copies');
      // Half of all are one vector, as an empty text may be; copies stand in blocks before and behind what they equal.
      const rows = Array.from({ length: 3000 }, (_, row) =>
        row % 10 === 0 ? row / 10 : random.integer(2) * random.integer(300),
      );
      const vectors = Float32Array.from(
        rows.flatMap((row) => [...distinct.subarray(24 * row, 24 * (row + 1))]),
      );
      const index = await build(24, vectors.subarray(0, 24 * 1111), vectors.subarray(24 * 1111));
      const path = join(folder, 'copies');
      await index.save(path);
      const opened = await openVectorIndex(path, { access: 'disk' });
      for (const k of [10, 200]) {
        const result = await index.search(queries, { k });
        const tally = { close: 0, wanted: 0 };
        tallyClose(result, { vectors, queries, dimension: 24 }, tally);
        expect(tally.close / tally.wanted).toBeGreaterThanOrEqual(leastRecall);
        expect(await opened.search(queries, { k })).toEqual(result);
      }
      await opened.close();
    });

    test('saved and opened, in memory, on disk and in a worker, it gives the same bits', async () => {
      const vectors = clusteredVectors({ count: 500, dimension: 24, clusters: 9, seed: 1, part: 'vectors' });
      const queries = clusteredVectors({ count: 7, dimension: 24, clusters: 9, seed: 1, part: 'queries' });
      const index = await build(24, vectors);
      const path = join(folder, 'saved');
      await index.save(path);
      const expected = await index.search(queries, { k: 30 });
      const searchers: VectorSearcher[] = [
        await openVectorIndex(path),
        await openVectorIndex(path, { access: 'disk' }),
        await openVectorIndexInWorker(path),
      ];
      for (const searcher of searchers) {
        expect(searcher.metadata).toEqual(index.metadata);
        expect(await searcher.search(queries, { k: 30 })).toEqual(expected);
        await searcher.close();
      }
      const again = await openVectorIndex(path, { access: 'disk' });
      await again.save(join(folder, 'again'));
      await again.close();
      const copy = await openVectorIndex(join(folder, 'again'));
      expect(await copy.search(queries, { k: 30 })).toEqual(expected);
      await expect(index.save(path)).rejects.toThrow('already exists');
      await index.save(path, { overwrite: true });
    });

    test('metadata says what was indexed', async () => {
      const vectors = clusteredVectors({ count: 10, dimension: 4, clusters: 2, seed: 5, part: 'vectors' });
      const { metadata } = await build(4, vectors.subarray(0, 12), vectors.subarray(12));
      expect(metadata).toMatchObject({ type, storage, dimension: 4, count: 10, model: 'conformance' });
      expect(metadata.createdBy).toMatch(/^nearmiss \d/);
      const other = createVectorIndex({ type: 'flat', dimension: 4 });
      await other.add(vectors);
      expect((await other.finish()).metadata.fingerprint).toBe(metadata.fingerprint);
      vectors[0] += 0.25;
      expect((await build(4, vectors)).metadata.fingerprint).not.toBe(metadata.fingerprint);
    });

    test('searches may overlap', async () => {
      const vectors = clusteredVectors({ count: 300, dimension: 8, clusters: 5, seed: 2, part: 'vectors' });
      const index = await build(8, vectors);
      const queries = [0, 40, 80].map((row) => vectors.subarray(row * 8, (row + 20) * 8));
      const alone = [];
      for (const query of queries) alone.push(await index.search(query, { k: 11 }));
      const together = await Promise.all(queries.map((query) => index.search(query, { k: 11 })));
      expect(together).toEqual(alone);
    });

    test('refuses what is not a vector of the right kind', async () => {
      const builder = createVectorIndex({ type, storage, dimension: 3 });
      await builder.add(Float32Array.of(1, 2, 3));
      await expect(builder.add(Float32Array.of(1, 2, 3, 4))).rejects.toThrow(
        'vectors: expected vectors of dimension 3, got 4 numbers',
      );
      await expect(builder.add(Float32Array.of(1, 2, 3, 4, Number.NaN, 6))).rejects.toThrow(
        'vectors: row 2, component 1: expected a finite number, got NaN',
      );
      await expect(builder.add(Float32Array.of(Number.NEGATIVE_INFINITY, 2, 3))).rejects.toThrow(
        'vectors: row 1, component 0: expected a finite number, got -Infinity',
      );
      const index = await builder.finish();
      expect(index.metadata.count).toBe(1);
      await expect(builder.add(Float32Array.of(1, 2, 3))).rejects.toThrow('finished');
      await expect(index.search(new Float32Array(4), { k: 1 })).rejects.toThrow(
        'queries: expected vectors of',
      );
      await expect(index.search(Float32Array.of(1, 2, Number.NaN), { k: 1 })).rejects.toThrow(
        'queries: row 0',
      );
      for (const k of [0, -1, 1.5, Number.NaN]) {
        await expect(index.search(new Float32Array(3), { k })).rejects.toThrow(NearmissError);
      }
    });

    test(`finds at least ${leastRecall} of the true top 200`, async () => {
      const options = { dimension: 32, clusters: 50, seed: 4 };
      const vectors = clusteredVectors({ ...options, count: 10_000, part: 'vectors' });
      const queries = clusteredVectors({ ...options, count: 50, part: 'queries' });
      const index = await build(32, vectors);
      const result = await index.search(queries, { k: 200 });
      expect(recall(result, bruteForce(vectors, queries, { dimension: 32, k: 200 }))).toBeGreaterThanOrEqual(
        leastRecall,
      );
    });

    test('of unit vectors whose first numbers say everything, keeping those is enough', async () => {
      const parts = clusteredVectors({ count: 400, dimension: 16, clusters: 8, seed: 7, part: 'vectors' });
      const vectors = new Float32Array(400 * 24);
      for (let row = 0; row < 400; row++) vectors.set(parts.subarray(row * 16, (row + 1) * 16), row * 24);
      const builder = createVectorIndex({
        type,
        storage,
        dimension: 24,
        dimensions: 16,
        threads: 1,
        ...options,
      });
      await builder.add(vectors);
      const index = await builder.finish();
      expect(index.metadata).toMatchObject({ dimension: 24, parameters: { dimensions: 16, normalizes: 1 } });
      const path = join(folder, 'cut');
      await index.save(path);
      const queries = vectors.subarray(0, 20 * 24);
      const truth = bruteForce(vectors, queries, { dimension: 24, k: 10 });
      const opened = await openVectorIndex(path);
      const result = await opened.search(queries, { k: 10 });
      expect(recall(result, truth)).toBeGreaterThanOrEqual(leastRecall);
      expect(await index.search(queries, { k: 10 })).toEqual(result);
      for (const dimensions of [0, 25, 1.5]) {
        expect(() => createVectorIndex({ type, storage, dimension: 24, dimensions })).toThrow(
          'dimensions: expected an integer from 1 to 24',
        );
      }
    });

    /** Checks scores and order, and counts the ranks whose score is as good as the true one there. */
    function tallyClose(
      result: SearchResult,
      { vectors, queries, dimension }: { vectors: Float32Array; queries: Float32Array; dimension: number },
      tally: { close: number; wanted: number },
    ): void {
      const count = vectors.length / dimension;
      const truth = bruteForce(vectors, queries, { dimension, k: count });
      const longest = Math.max(0, ...lengths(vectors, dimension));
      lengths(queries, dimension).forEach((length, row) => {
        const { ids, scores } = rowOf(result, row);
        const allowed = tolerance * longest * length + 1e-6;
        const found = ids.includes(-1) ? ids.indexOf(-1) : ids.length;
        expect(new Set(ids.slice(0, found)).size).toBe(found);
        expect(ids.slice(found).every((id) => id === -1)).toBe(true);
        tally.wanted += Math.min(result.k, count);
        for (let rank = 0; rank < found; rank++) {
          const trueScore = truth.scores[row][truth.ids[row].indexOf(ids[rank])];
          expect(Math.abs(scores[rank] - trueScore)).toBeLessThanOrEqual(allowed);
          if (scores[rank] >= truth.scores[row][rank] - 2 * allowed) tally.close++;
          const inOrder =
            rank === 0 ||
            scores[rank - 1] > scores[rank] ||
            (scores[rank - 1] === scores[rank] && ids[rank - 1] < ids[rank]);
          expect(inOrder).toBe(true);
        }
      });
    }
  });
}

function lengths(vectors: Float32Array, dimension: number): number[] {
  return Array.from({ length: vectors.length / dimension }, (_, row) =>
    Math.hypot(...vectors.subarray(row * dimension, (row + 1) * dimension)),
  );
}
