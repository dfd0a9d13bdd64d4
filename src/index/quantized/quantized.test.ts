import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { createVectorIndex, openVectorIndex, vectorIndexBytes, writeVectorIndex } from '../vectors/index.js';
import { bruteForce, clusteredVectors, recall, rowOf } from '../vectors/vectors.fixture.js';
import { Candidates, nthLargest } from './candidates.js';
import { recordsPerPiece } from './code-store.js';
import { encodeRecords, prepareQuery } from './codes.js';
import { codeBytes, recordBytes, ScanKernel } from './scan-kernel.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-quantized-'));
});
afterAll(() => rm(folder, { recursive: true }));

const KINDS = ['binary', 'int8'] as const;

describe.each(KINDS)('the %s kernel', (kind) => {
  test('computes what the codes stand for, in any dimension', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer(),
        (dimension, rows, seed) => {
          const random = Random.from(seed, 'kernel');
          const draw = (count: number): Float32Array =>
            Float32Array.from({ length: count }, () => random.normal());
          const [vectors, centre, query] = [draw(rows * dimension), draw(dimension), draw(dimension)];
          const records = encodeRecords(kind, vectors, centre);
          const kernel = new ScanKernel(kind, dimension);
          const prepared = prepareQuery(kind, query);
          kernel.prepare(prepared);
          kernel.codes.set(records);
          const found = kernel.scan({
            records: rows,
            first: 7,
            base: 2,
            threshold: Number.NEGATIVE_INFINITY,
          });
          expect(found).toBe(rows);
          const stride = recordBytes(kind, dimension);
          for (let row = 0; row < rows; row++) {
            const record = records.subarray(row * stride, (row + 1) * stride);
            const factor = new DataView(record.buffer, record.byteOffset).getFloat32(
              codeBytes(kind, dimension),
              true,
            );
            const expected = 2 + factor * product(kind, record, query, dimension);
            expect(kernel.places[2 * row]).toBe(7 + row);
            expect(Math.abs(kernel.scores[2 * row + 1] - expected)).toBeLessThan(
              1e-3 * Math.max(1, Math.abs(expected)),
            );
          }
          const threshold = kernel.scores[1];
          const atLeast = Array.from({ length: rows }, (_, i) => kernel.scores[2 * i + 1]).filter(
            (score) => score >= threshold,
          );
          expect(kernel.scan({ records: rows, first: 0, base: 2, threshold })).toBe(atLeast.length);
        },
      ),
      { numRuns: 60, seed: 5 },
    );
  });

  test('estimates inner products without bias', () => {
    const dimension = 256;
    const random = Random.from(3, 'bias');
    const vectors = Float32Array.from({ length: 400 * dimension }, () => random.normal());
    const query = Float32Array.from({ length: dimension }, () => random.normal());
    const kernel = new ScanKernel(kind, dimension);
    kernel.prepare(prepareQuery(kind, query));
    kernel.codes.set(encodeRecords(kind, vectors, new Float32Array(dimension)));
    kernel.scan({ records: 400, first: 0, base: 0, threshold: Number.NEGATIVE_INFINITY });
    const truth = bruteForce(vectors, query, { dimension, k: 400 });
    let [dot, square] = [0, 0];
    truth.ids[0].forEach((id, rank) => {
      dot += kernel.scores[2 * id + 1] * truth.scores[0][rank];
      square += truth.scores[0][rank] ** 2;
    });
    // The slope of a line through estimates and truths.
    expect(Math.abs(dot / square - 1)).toBeLessThan(kind === 'binary' ? 0.15 : 0.01);
  });
});

/** The inner product of a code with the levels that a query's components are rounded to. */
function product(
  kind: 'binary' | 'int8',
  record: Uint8Array,
  query: Float32Array,
  dimension: number,
): number {
  const largest = Math.max(...query.map(Math.abs));
  let sum = 0;
  for (let i = 0; i < dimension; i++) {
    if (kind === 'int8') sum += ((record[i] << 24) >> 24) * query[i];
    else {
      const level = 2 * Math.round(((query[i] / largest) * 15 + 15) / 2) - 15;
      sum += ((record[i >> 3] >> (i & 7)) & 1 ? 1 : -1) * ((level * largest) / 15);
    }
  }
  return sum;
}

test('candidates are the best by score, then by place, whatever the order of pushes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 80 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
      (scores, wanted, seed) => {
        const order = Random.from(seed, 'order').shuffle(scores.map((_, place) => place));
        const candidates = new Candidates(wanted);
        for (const place of order) candidates.push(place, scores[place]);
        const expected = scores
          .map((_, place) => place)
          .sort((a, b) => scores[b] - scores[a] || a - b)
          .slice(0, wanted);
        expect([...candidates.best()].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
      },
    ),
  );
});

test('the n-th largest of any values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 40 }),
      fc.nat(),
      (values, at) => {
        const n = 1 + (at % values.length);
        expect(nthLargest(Float32Array.from(values), values.length, n)).toBe(
          [...values].sort((a, b) => b - a)[n - 1],
        );
      },
    ),
  );
});

test('exhaustive search is exact, and more effort finds more', async () => {
  const options = { dimension: 64, clusters: 200, seed: 9 };
  const vectors = clusteredVectors({ ...options, count: 6000, part: 'vectors' });
  const queries = clusteredVectors({ ...options, count: 40, part: 'queries' });
  const builder = createVectorIndex({ type: 'binary', dimension: 64, lists: 32, probes: 2 });
  await builder.add(vectors);
  const index = await builder.finish();
  const truth = bruteForce(vectors, queries, { dimension: 64, k: 10 });
  const of = async (effort: object): Promise<number> =>
    recall(await index.search(queries, { k: 10, ...effort }), truth);
  expect(await of({ exhaustive: true })).toBe(1);
  const [low, more, most] = [
    await of({ rescore: 10 }),
    await of({ probes: 16, rescore: 100 }),
    await of({ probes: 32, rescore: 6000 }),
  ];
  expect(more).toBeGreaterThan(low);
  expect(most).toBe(1);
});

test('codes are an eighth, or a thirty-second and a factor, of what vectors take', () => {
  const flat = { type: 'flat', storage: 'f32', count: 100_000, dimension: 384 } as const;
  expect(vectorIndexBytes(flat) / vectorIndexBytes({ ...flat, type: 'binary' })).toBeGreaterThan(16);
  expect(vectorIndexBytes(flat) / vectorIndexBytes({ ...flat, type: 'int8' })).toBeGreaterThan(3.9);
});

test('a damaged row, code or list is named, in memory and on disk', async () => {
  const vectors = clusteredVectors({ dimension: 32, clusters: 9, seed: 2, count: 3000, part: 'vectors' });
  const query = vectors.slice(0, 32);
  const search = async (path: string, access: 'memory' | 'disk'): Promise<unknown> => {
    const index = await openVectorIndex(path, { access });
    return index.search(query, { k: 5 }).finally(() => index.close());
  };
  for (const [file, message, where] of [
    ['rows.bin', /rows\.bin: vector 0 is damaged: its checksum is wrong/, 5],
    ['codes.bin', /codes\.bin: the (file|block at byte 0) is damaged/, 5],
    ['lists.bin', /lists\.bin: the file is damaged/, 5],
    ['order.bin', /order\.bin: the file is damaged/, 5],
  ] as const) {
    const path = join(folder, `damaged-${file}`);
    await writeVectorIndex(path, [vectors], { type: 'int8', dimension: 32, lists: 4, probes: 4 });
    await search(path, 'disk');
    const handle = await open(join(path, file), 'r+');
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, where);
    await handle.write(Buffer.of(buffer[0] ^ 255), 0, 1, where);
    await handle.close();
    for (const access of ['memory', 'disk'] as const)
      await expect(search(path, access)).rejects.toThrow(message);
    const cut = await open(join(path, file), 'r+');
    await cut.truncate((await stat(join(path, file))).size - 3);
    await cut.close();
    await expect(search(path, 'disk')).rejects.toThrow(`${file}: expected`);
  }
});

test('thousands of equal vectors come in the order of their ids', async () => {
  for (const type of KINDS) {
    const builder = createVectorIndex({ type, dimension: 8, lists: 3, probes: 3 });
    await builder.add(Float32Array.from({ length: 8 * 5000 }, (_, i) => [0.1, 0.2, 0.3, 0.4][i % 4]));
    const index = await builder.finish();
    const result = await index.search(new Float32Array(8).fill(0.7), { k: 20, probes: 3 });
    const { ids, scores } = rowOf(result, 0);
    expect(new Set(ids).size).toBe(20);
    expect(new Set(scores).size).toBe(1);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  }
});

test('options are checked', () => {
  for (const options of [{ lists: 0 }, { probes: 1.5 }, { rescore: -1 }]) {
    expect(() => createVectorIndex({ type: 'binary', dimension: 4, ...options })).toThrow(
      /expected an integer from 1 up/,
    );
  }
  expect(() => createVectorIndex({ type: 'int8', dimension: 4, storage: 'i8' })).toThrow(
    'keeps whole vectors as f32 or f16',
  );
  expect(recordsPerPiece(52) * 52).toBeLessThanOrEqual(2 ** 30);
});
