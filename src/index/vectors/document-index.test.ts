import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { documentFiles, documentsFromIds } from './document-files.js';
import { DocumentIndex } from './document-index.js';
import { createVectorIndex, openDocumentIndex } from './open.js';
import { clusteredVectors, rowOf } from './vectors.fixture.js';

async function flat(dimension: number, vectors: Float32Array) {
  const builder = createVectorIndex({ dimension });
  await builder.add(vectors);
  return builder.finish();
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
  const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.integer({ min: 1, max: 15 }), fc.integer(), async (vectorsOf, k, seed) => {
      const random = Random.from(seed, 'documents');
      // Every other number is no document: ids need not be dense.
      const documentOf = Int32Array.from(vectorsOf.flatMap((n, document) => Array(n).fill(2 * document)));
      const draw = (rows: number): Float32Array =>
        Float32Array.from({ length: rows * 3 }, () => random.integer(5) - 2);
      const vectors = draw(documentOf.length);
      const queries = draw(4);
      const index = new DocumentIndex({ vectors: await flat(3, vectors), documentOf });
      expect(index.count).toBe(vectorsOf.length);
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
  const documentOf = Int32Array.from({ length: 1000 }, (_, row) => Math.max(0, row - 989));
  const vectors = Float32Array.from({ length: 1000 }, (_, row) => 1000 - row);
  const index = new DocumentIndex({ vectors: await flat(1, vectors), documentOf });
  const { ids } = await index.search(Float32Array.of(1), { k: 5 });
  expect([...ids]).toEqual([0, 1, 2, 3, 4]);
});

test('ids of rows become documents, kept beside the index', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-documents-'));
  const vectors = clusteredVectors({ count: 5, dimension: 4, clusters: 2, seed: 3, part: 'vectors' });
  const documents = documentsFromIds(['a', 'a', 'b', 'ç', 'ç'], 'rows.ids.txt');
  expect([...documents.documentOf!]).toEqual([0, 0, 1, 2, 2]);
  const index = await flat(4, vectors);
  await index.save(join(folder, 'index'), { extra: documentFiles(documents) });
  const opened = await openDocumentIndex(join(folder, 'index'));
  expect(opened.count).toBe(3);
  const { ids } = await opened.search(vectors.subarray(16), { k: 1 });
  expect(opened.ids!.idAt(ids[0])).toBe('ç');
  await opened.close();
  await rm(folder, { recursive: true });
});

test('one vector a document needs no table', async () => {
  const documents = documentsFromIds(['x', 'y'], 'ids');
  expect(documents.documentOf).toBeUndefined();
  const index = new DocumentIndex({ vectors: await flat(1, Float32Array.of(1, 2)), ...documents });
  expect(rowOf(await index.search(Float32Array.of(1), { k: 2 }), 0).ids).toEqual([1, 0]);
});

test('documents in disorder are refused', async () => {
  expect(() => documentsFromIds(['a', 'b', 'a'], 'rows.ids.txt')).toThrow(
    'rows.ids.txt:3: the id "a" came before',
  );
  const vectors = await flat(1, Float32Array.of(1, 2, 3));
  expect(() => new DocumentIndex({ vectors, documentOf: Int32Array.of(0, 1) })).toThrow(
    'each of 3 vectors, got 2',
  );
  expect(() => new DocumentIndex({ vectors, documentOf: Int32Array.of(0, 2, 1) })).toThrow(
    'vector 2: expected document 2 or a later one, got 1',
  );
});
