import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdTable } from '../../data/id-table.js';
import { Random } from '../../engine/random.js';
import { createVectorIndex } from '../build-vectors.js';
import { documentFiles, documentsFromIds } from './document-files.js';
import { DocumentIndex } from './document-index.js';
import { openDocumentIndex } from './open.js';
import { clusteredVectors, rowOf } from './vectors.fixture.js';

async function flat(dimension: number, vectors: Float32Array) {
  const builder = createVectorIndex({ dimension });
  await builder.add(vectors);
  return builder.finish();
}

function offsetsOf(counts: readonly number[]): Uint32Array {
  let rows = 0;
  return Uint32Array.from([0, ...counts.map((count) => (rows += count))]);
}

/** Every document's best vector, sorted; small whole numbers make the sums exact and ties frequent. */
function maxP(vectors: Float32Array, query: Float32Array, documentOf: Int32Array): [number, number][] {
  const best = new Map<number, number>();
  documentOf.forEach((document, row) => {
    const score = query.reduce((sum, value, i) => sum + value * vectors[row * query.length + i], 0);
    best.set(document, Math.max(score, best.get(document) ?? Number.NEGATIVE_INFINITY));
  });
  return [...best].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

test('with an exact index, documents rank by their best vector, exactly', async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.integer({ min: 1, max: 15 }), fc.integer(), async (vectorsOf, k, seed) => {
      const random = Random.from(seed, 'documents');
      const offsets = offsetsOf(vectorsOf);
      const documentOf = Int32Array.from(vectorsOf.flatMap((n, document) => Array(n).fill(document)));
      const draw = (rows: number): Float32Array =>
        Float32Array.from({ length: rows * 3 }, () => random.integer(5) - 2);
      const vectors = draw(documentOf.length);
      const queries = draw(4);
      const index = new DocumentIndex({ vectors: await flat(3, vectors), offsets, mayBeEmpty: true });
      expect(index.count).toBe(vectorsOf.filter((n) => n > 0).length);
      const result = await index.search(queries, { k });
      for (let row = 0; row < 4; row++) {
        const expected = maxP(vectors, queries.subarray(row * 3, row * 3 + 3), documentOf).slice(0, k);
        const { ids, scores } = rowOf(result, row);
        expect(ids).toEqual([...expected.map(([id]) => id), ...Array(k - expected.length).fill(-1)]);
        expect(scores.slice(0, expected.length)).toEqual(expected.map(([, score]) => score + 0));
      }
      await index.close();
    }),
    { numRuns: 60, seed: 9 },
  );
});

test('a document whose many vectors fill the top does not hide the others', async () => {
  const offsets = offsetsOf([990, ...Array(10).fill(1)]);
  const vectors = Float32Array.from({ length: 1000 }, (_, row) => 1000 - row);
  const index = new DocumentIndex({ vectors: await flat(1, vectors), offsets });
  const { ids } = await index.search(Float32Array.of(1), { k: 5 });
  expect([...ids]).toEqual([0, 1, 2, 3, 4]);
});

test('queries that need more vectors than others are searched again by themselves', async () => {
  const offsets = offsetsOf([90, ...Array(10).fill(1)]);
  const vectors = Float32Array.from({ length: 100 }, (_, row) => 100 - row);
  const index = new DocumentIndex({ vectors: await flat(1, vectors), offsets });
  // The first query finds one document in the first 90 vectors, the second as many documents as vectors.
  const found = await index.search(Float32Array.of(1, -1), { k: 3, queryOffsets: Uint32Array.of(0, 1, 2) });
  expect(rowOf(found, 0).ids).toEqual([0, 1, 2]);
  expect(rowOf(found, 1).ids).toEqual([10, 9, 8]);
});

test('ids of rows become documents, kept beside the index', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-documents-'));
  const vectors = clusteredVectors({ count: 5, dimension: 4, clusters: 2, seed: 3, part: 'vectors' });
  const documents = documentsFromIds(['a', 'a', 'b', 'ç', 'ç'], 'rows.ids.txt');
  expect([...documents.offsets!]).toEqual([0, 2, 3, 5]);
  const index = await flat(4, vectors);
  await index.save(join(folder, 'index'), { extra: documentFiles(documents) });
  const opened = await openDocumentIndex(join(folder, 'index'));
  expect(opened.count).toBe(3);
  const { ids } = await opened.search(vectors.subarray(16), { k: 1 });
  expect(opened.ids!.idAt(ids[0])).toBe('ç');
  await opened.close();
  await rm(folder, { recursive: true });
});

test('one vector a document needs no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-documents-'));
  const index = await flat(1, Float32Array.of(1, 2));
  await index.save(join(folder, 'index'), { extra: documentFiles(documentsFromIds(['x', 'y'], 'ids')) });
  expect(await readdir(join(folder, 'index'))).not.toContain('documents.bin');
  const opened = await openDocumentIndex(join(folder, 'index'));
  expect(rowOf(await opened.search(Float32Array.of(1), { k: 2 }), 0).ids).toEqual([1, 0]);
  await opened.close();
  await rm(folder, { recursive: true });
});

test('documents without vectors, also the last, are kept and never found', async () => {
  const counts = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(counts, async (vectorsOf) => {
      const folder = await mkdtemp(join(tmpdir(), 'nearmiss-documents-'));
      const offsets = offsetsOf(vectorsOf);
      const ids = new IdTable();
      vectorsOf.forEach((_, i) => {
        ids.add(`d${i}`);
      });
      const index = await flat(1, new Float32Array(offsets.at(-1)!).fill(1));
      await index.save(join(folder, 'index'), { extra: documentFiles({ offsets, ids }) });
      const opened = await openDocumentIndex(join(folder, 'index'));
      const found = rowOf(await opened.search(Float32Array.of(1), { k: 9 }), 0).ids.filter((id) => id >= 0);
      expect(found).toEqual(vectorsOf.flatMap((count, i) => (count > 0 ? [i] : [])));
      vectorsOf.forEach((count, i) => {
        const { first, end } = opened.vectorsOf(i);
        expect([first, end - first]).toEqual([offsets[i], count]);
      });
      await opened.close();
      await rm(folder, { recursive: true });
    }),
    { numRuns: 20, seed: 4 },
  );
});

test('documents in disorder are refused', async () => {
  expect(() => documentsFromIds(['a', 'b', 'a'], 'rows.ids.txt')).toThrow(
    'rows.ids.txt:3: the id "a" came before',
  );
  const vectors = await flat(1, Float32Array.of(1, 2, 3));
  const open = (...offsets: number[]) => new DocumentIndex({ vectors, offsets: Uint32Array.from(offsets) });
  expect(() => open(0, 1, 2)).toThrow('expected them to go from 0 to 3, the number of rows, got 0 to 2');
  expect(() => open(1, 3)).toThrow('got 1 to 3');
  expect(() => open(0, 2, 1, 3)).toThrow('text 1: expected at least one row, got -1');
  expect(() => open(0, 2, 2, 3)).toThrow('text 1: expected at least one row, got 0');
});
