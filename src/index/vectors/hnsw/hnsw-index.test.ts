import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVectorIndex } from '../../build-vectors.js';
import { DocumentIndex } from '../document-index.js';
import { openVectorIndex } from '../open.js';
import type { VectorIndex } from '../vector-index.js';
import { bruteForce, clusteredVectors, recall, rowOf } from '../vectors.fixture.js';

const options = { dimension: 16, clusters: 30, seed: 8 };
const vectors = clusteredVectors({ ...options, count: 4000, part: 'vectors' });
const queries = clusteredVectors({ ...options, count: 40, part: 'queries' });

async function build(extra: object, data = vectors): Promise<VectorIndex> {
  const builder = createVectorIndex({ type: 'hnsw', dimension: 16, ...extra });
  await builder.add(data);
  return builder.finish();
}

test('with one thread the same vectors give the same bits', async () => {
  const [a, b] = [await build({ threads: 1 }), await build({ threads: 1 })];
  expect(await a.search(queries, { k: 20 })).toEqual(await b.search(queries, { k: 20 }));
});

test('more effort finds more', async () => {
  const index = await build({ connectivity: 4, efConstruction: 16 });
  const truth = bruteForce(vectors, queries, { dimension: 16, k: 10 });
  const recallAt = async (efSearch: number): Promise<number> =>
    recall(await index.search(queries, { k: 10, efSearch }), truth);
  const [low, high] = [await recallAt(10), await recallAt(400)];
  expect(high).toBeGreaterThan(low);
  expect(high).toBeGreaterThan(0.95);
});

test('8 bits rank by inner product, not by cosine', async () => {
  const scaled = vectors.map((value, i) => value * (1 + (Math.floor(i / 16) % 7)));
  const index = await build({ storage: 'i8' }, scaled);
  const truth = bruteForce(scaled, queries, { dimension: 16, k: 50 });
  expect(recall(await index.search(queries, { k: 50, efSearch: 400 }), truth)).toBeGreaterThan(0.85);
});

test('more threads than cores may be asked for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-hnsw-'));
  const index = await build({ threads: 100 });
  await index.save(join(folder, 'index'));
  const opened = await openVectorIndex(join(folder, 'index'), { threads: 100 });
  expect(await opened.search(queries, { k: 5 })).toEqual(await index.search(queries, { k: 5 }));
  await rm(folder, { recursive: true });
});

/** Every other vector is the same one, each of the others is there once. */
const halfAlike = vectors.map((value, i) => (Math.floor(i / 16) % 2 === 0 ? vectors[i % 16] : value));

test('of thousands of equal vectors it finds all, in order', async () => {
  const index = await build({}, halfAlike);
  expect(index.metadata).toMatchObject({ count: 4000, parameters: { distinct: 2001 } });
  const { ids } = rowOf(await index.search(vectors.subarray(0, 16), { k: 2000 }), 0);
  expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => 2 * i));
});

test('documents with equal vectors are found by each of them', async () => {
  const offsets = Uint32Array.from({ length: 2001 }, (_, i) => 2 * i);
  const documents = new DocumentIndex({ vectors: await build({}, halfAlike), offsets });
  const { ids, scores } = rowOf(await documents.search(vectors.subarray(0, 16), { k: 2000 }), 0);
  expect(ids).toEqual(Array.from({ length: 2000 }, (_, i) => i));
  expect(new Set(scores).size).toBe(1);
});

test('vectors that become equal as they are stored are one in the graph', async () => {
  const nearly = Float32Array.from(
    { length: 16 * 50 },
    (_, i) => vectors[i % 16] * (1 + 1e-7 * Math.floor(i / 16)),
  );
  const distinct = async (storage: string) => (await build({ storage }, nearly)).metadata.parameters.distinct;
  expect(await distinct('f16')).toBeLessThan(5);
  expect(await distinct('i8')).toBeLessThan(5);
});

test('a damaged list of equal vectors is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-hnsw-'));
  const path = join(folder, 'index');
  await (await build({}, halfAlike)).save(path);
  const file = join(path, 'twins.bin');
  const bytes = await readFile(file);
  bytes[100] ^= 1;
  await writeFile(file, bytes);
  await expect(openVectorIndex(path)).rejects.toThrow(
    'twins.bin: the file is damaged: its checksum is wrong',
  );
  await rm(folder, { recursive: true });
});

test('parameters are checked', () => {
  expect(() => createVectorIndex({ type: 'hnsw', dimension: 2, connectivity: 1 })).toThrow(
    'connectivity: expected an integer from 2 up, got 1',
  );
  expect(() => createVectorIndex({ type: 'hnsw', dimension: 2, efConstruction: 0 })).toThrow(
    'efConstruction',
  );
  expect(() => createVectorIndex({ type: 'hnsw', dimension: 0 })).toThrow('dimension: expected an integer');
});
