import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IdTable } from '../../data/id-table.js';
import { Random } from '../../engine/index.js';
import { stackRows } from '../../model/encoder/encoded-texts.js';
import { maxSim } from '../../model/scorer/max-sim.js';
import { polyScore } from '../../model/scorer/poly.js';
import { changeDocumentIndex } from '../change-documents.js';
import { IndexFolder, writeIndexFolder } from '../vectors/index-folder.js';
import { openDocumentIndex } from '../vectors/open.js';
import { writeDocumentIndex } from '../write-documents.js';
import { bestDocuments, placesOfBest } from './best-documents.js';
import { packedBytes, ResidualCodec, type TokenBits } from './residual-codec.js';
import { RowPacker } from './row-packer.js';
import { TokenIndex } from './token-index.js';
import { trainCodebook } from './train-codebook.js';
import type { TokenSource } from './write-token-index.js';

const SIZE = 16;
const session = { threads: 1 };

/** Rows of length 1 around some directions, as the tokens of a language lie. */
function rowsAround(random: Random, words: Float32Array[], count: number): Float32Array {
  const rows = new Float32Array(count * SIZE);
  for (let row = 0; row < count; row++) {
    const word = words[random.integer(words.length)];
    const values = Array.from({ length: SIZE }, (_, i) => word[i] + 0.25 * random.normal());
    const length = Math.hypot(...values);
    rows.set(
      values.map((value) => value / length),
      row * SIZE,
    );
  }
  return rows;
}

const random = Random.from(7, 'tokens');
const WORDS = Array.from({ length: 60 }, () => Float32Array.from({ length: SIZE }, () => random.normal()));
const DOCUMENTS = Array.from({ length: 400 }, (_, i) => rowsAround(random, WORDS, 1 + ((i * 7) % 12)));
const QUERIES = Array.from({ length: 12 }, (_, i) => rowsAround(random, WORDS, 1 + (i % 5)));
const queries = stackRows(QUERIES, SIZE);

function sourceOf(documents: readonly Float32Array[]): TokenSource {
  const { vectors, offsets } = stackRows(documents, SIZE);
  return {
    offsets,
    // Blocks do not end where documents do.
    async *blocks() {
      for (let start = 0; start < vectors.length; start += 37 * SIZE) {
        yield vectors.slice(start, start + 37 * SIZE);
      }
    },
  };
}

/** The documents of each query, best first, by comparing all of them. */
function bruteForce(
  score: (query: Float32Array, document: Float32Array) => number,
  documents: readonly Float32Array[],
  k: number,
): number[][] {
  return QUERIES.map((query) => {
    const scores = documents.map((document) => Math.fround(score(query, document)));
    return [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b).slice(0, k);
  });
}

const idsOf = ({ ids, k }: { ids: Int32Array; k: number }): number[][] =>
  QUERIES.map((_, query) => [...ids.subarray(query * k, (query + 1) * k)].filter((id) => id >= 0));

const overlap = (a: number[][], b: number[][]): number =>
  a.reduce((sum, ids, i) => sum + ids.filter((id) => b[i].includes(id)).length / b[i].length, 0) / a.length;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-tokens-'));
  for (const bits of [1, 2, 4] as const) {
    const folder = join(root, `bits-${bits}`);
    await writeDocumentIndex(folder, sourceOf(DOCUMENTS), {
      dimension: SIZE,
      scorer: 'max-sim',
      bits,
      session,
    });
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('the best of any scores, equal ones by number', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 3 })), fc.integer({ min: 1, max: 12 }), (numbers, k) => {
      // Some without rows.
      const scores = Float32Array.from(numbers, (value) => (value === -3 ? Number.NEGATIVE_INFINITY : value));
      const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b).slice(0, k);
      expect([...placesOfBest(scores, k)]).toEqual(order.toSorted((a, b) => a - b));
      const documents = Uint32Array.from(numbers, (_, i) => 2 * i);
      expect([...bestDocuments({ documents, scores }, k).documents]).toEqual(order.map((i) => 2 * i));
    }),
  );
});

test('rows as they are: late interaction finds what brute force finds, for any documents', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 70 }), async (count, k) => {
      const folder = join(root, `exact-${run++}`);
      const documents = DOCUMENTS.slice(0, count);
      await writeDocumentIndex(folder, sourceOf(documents), { dimension: SIZE, scorer: 'max-sim', session });
      const index = await openDocumentIndex(folder, { session });
      expect(index.count).toBe(count);
      const found = await index.search(queries.vectors, { k, queryOffsets: queries.offsets });
      await index.close();
      expect(idsOf(found)).toEqual(bruteForce((q, d) => maxSim(q, d, SIZE), documents, k));
    }),
    { numRuns: 6 },
  );
});

test('a Poly-encoder finds by its bound what brute force finds', async () => {
  const folder = join(root, 'poly');
  const documents = DOCUMENTS.map((rows) => rows.slice(0, SIZE).map((value) => 3 * value));
  await writeDocumentIndex(folder, sourceOf(documents), { dimension: SIZE, scorer: 'poly', session });
  const index = await openDocumentIndex(folder, { session });
  for (const k of [1, 7, documents.length]) {
    const found = await index.search(queries.vectors, { k, queryOffsets: queries.offsets });
    expect(
      overlap(
        idsOf(found),
        bruteForce((q, d) => polyScore(q, d, SIZE), documents, k),
      ),
    ).toBe(1);
  }
  await index.close();
});

describe('compressed', () => {
  test('more bits lose less, and a token takes as many bytes as they say', async () => {
    const sample = stackRows(DOCUMENTS, SIZE).vectors;
    const errorOf = async (bits: TokenBits): Promise<number> => {
      const options = { dimension: SIZE, bits, rows: sample.length / SIZE, session };
      const codebook = await trainCodebook(sample, options);
      const packer = await RowPacker.open(codebook, session);
      const rows = sample.subarray(0, 50 * SIZE);
      const { codes, residuals } = await packer.pack(rows);
      await packer.release();
      const decoded = new Float32Array(rows.length);
      new ResidualCodec(codebook).decode(codes, residuals, decoded);
      const turned = turnedRows(rows, codebook.directions);
      return decoded.reduce((sum, value, i) => sum + (value - turned[i]) ** 2, 0);
    };
    const [one, two, four] = [await errorOf(1), await errorOf(2), await errorOf(4)];
    expect(two).toBeLessThan(one);
    expect(four).toBeLessThan(two / 2);
    const bytes = ([1, 2, 4] as const).map((bits) => 4 + packedBytes({ dimension: 128, bits }));
    expect(bytes).toEqual([20, 36, 68]);
  });

  test.each([1, 2, 4] as const)(
    '%i bits: near what is there in truth, and nobody is out of reach',
    async (bits) => {
      const index = await openDocumentIndex(join(root, `bits-${bits}`), { session });
      const options = { queryOffsets: queries.offsets };
      const all = await index.search(queries.vectors, { k: DOCUMENTS.length, ...options });
      for (const ids of idsOf(all)) expect(new Set(ids).size).toBe(DOCUMENTS.length);
      const exhaustive = await index.search(queries.vectors, { k: 10, ...options, exhaustive: true });
      const fast = await index.search(queries.vectors, { k: 10, ...options });
      expect(overlap(idsOf(fast), idsOf(exhaustive))).toBeGreaterThan(0.95);
      const truth = bruteForce((q, d) => maxSim(q, d, SIZE), DOCUMENTS, 10);
      expect(overlap(idsOf(exhaustive), truth)).toBeGreaterThan({ 1: 0.5, 2: 0.7, 4: 0.9 }[bits]);
      await index.close();
    },
  );

  test('comparing all is brute force over the rows as they come back', async () => {
    const index = await TokenIndex.open(await IndexFolder.open(join(root, 'bits-2')), { session });
    const decoded = await Promise.all(DOCUMENTS.map((_, document) => index.rowsOf(document)));
    const found = await index.search(queries.vectors, {
      k: 5,
      queryOffsets: queries.offsets,
      exhaustive: true,
    });
    // Products are rounded to 16 bits: what is nearly equal may change places.
    QUERIES.forEach((query, q) => {
      const near = 5e-4 * (query.length / SIZE);
      const truth = decoded.map((rows) => maxSim(query, rows, SIZE));
      const ids = idsOf(found)[q];
      ids.forEach((id, rank) => {
        expect(Math.abs(found.scores[q * 5 + rank] - truth[id])).toBeLessThan(near);
      });
      const others = truth.filter((_, id) => !ids.includes(id));
      expect(Math.max(...others)).toBeLessThan(found.scores[q * 5 + 4] + near);
    });
    await index.close();
  });

  test('a first search with a small k does not spoil a later one, and the disk gives the same as memory', async () => {
    const folder = await IndexFolder.open(join(root, 'bits-4'));
    const [fresh, used, onDisk] = [
      await TokenIndex.open(folder, { session }),
      await TokenIndex.open(folder, { session }),
      await TokenIndex.open(folder, { session, access: 'disk' }),
    ];
    const options = { k: 50, queryOffsets: queries.offsets };
    await used.search(queries.vectors, { ...options, k: 1 });
    const expected = await fresh.search(queries.vectors, options);
    expect(await used.search(queries.vectors, options)).toEqual(expected);
    expect(await onDisk.search(queries.vectors, options)).toEqual(expected);
    for (const index of [fresh, used, onDisk]) await index.close();
  });

  test('the same rows give the same index, byte for byte', async () => {
    const again = join(root, 'again');
    await writeDocumentIndex(again, sourceOf(DOCUMENTS), {
      dimension: SIZE,
      scorer: 'max-sim',
      bits: 2,
      session,
    });
    for (const file of ['codes.bin', 'residuals.bin', 'codewords.bin', 'offsets.bin']) {
      expect((await readFile(join(again, file))).equals(await readFile(join(root, 'bits-2', file)))).toBe(
        true,
      );
    }
  });

  test('cut off and changed files are named', async () => {
    const broken = async (
      bits: TokenBits,
      name: string,
      damage: (path: string) => Promise<void>,
    ): Promise<Error> => {
      const folder = join(root, `broken-${name}`);
      await writeDocumentIndex(folder, sourceOf(DOCUMENTS.slice(0, 40)), {
        dimension: SIZE,
        scorer: 'max-sim',
        bits,
        session,
      });
      await damage(join(folder, name));
      return openDocumentIndex(folder, { session }).then(
        () => new Error('opened'),
        (error) => error as Error,
      );
    };
    expect((await broken(2, 'residuals.bin', (path) => truncate(path, 10))).message).toMatch(
      /residuals\.bin: expected/,
    );
    const flipped = async (path: string): Promise<void> => {
      const content = await readFile(path);
      content[3] ^= 1;
      await writeFile(path, content);
    };
    expect((await broken(2, 'codes.bin', flipped)).message).toMatch(/codes\.bin: the file is damaged/);
  });

  /** A folder that was written with other content: all of its checksums are right. */
  async function altered(
    name: string,
    { files = {}, parameters = {} }: { files?: Record<string, Uint8Array>; parameters?: object },
  ): Promise<string> {
    const folder = join(root, `altered-${name}`);
    const original = join(root, 'bits-2');
    const { metadata } = await IndexFolder.open(original);
    await writeIndexFolder(folder, {}, async (writer) => {
      for (const file of ['codewords.bin', 'codes.bin', 'residuals.bin', 'offsets.bin']) {
        await writer.write(file, [files[file] ?? (await readFile(join(original, file)))]);
      }
      return { ...metadata, parameters: { ...metadata.parameters, ...parameters } } as typeof metadata;
    });
    return folder;
  }

  test.each<[string, Parameters<typeof altered>[1], RegExp]>([
    [
      'residuals of other tokens',
      { files: { 'residuals.bin': new Uint8Array(40) } },
      /residuals\.bin: cannot be read: expected \d+ bytes of \d+ tokens, got 40$/,
    ],
    [
      'half a number',
      { files: { 'codes.bin': new Uint8Array(7) } },
      /codes\.bin: cannot be read: expected numbers of 4 bytes, got 7 bytes$/,
    ],
    [
      'no centroids',
      { parameters: { centroids: 0.5 } },
      /meta\.json: cannot be read: parameters\.centroids: expected a whole number, got 0\.5$/,
    ],
  ])('a folder with %s is refused by name', async (name, changes, message) => {
    const folder = await altered(name.replaceAll(' ', '-'), changes);
    await expect(openDocumentIndex(folder, { session })).rejects.toThrow(message);
  });

  test('a folder whose documents overlap is refused by name', async () => {
    const content = await readFile(join(root, 'bits-2', 'offsets.bin'));
    content.writeUInt32LE(1_000_000, 4 * 5);
    const folder = await altered('overlap', { files: { 'offsets.bin': content } });
    await expect(openDocumentIndex(folder, { session })).rejects.toThrow(
      /offsets\.bin: cannot be read: document 5: expected to end at 1000000 or behind, got \d+$/,
    );
  });

  test('what only single vectors have is refused', async () => {
    const write = (options: object) =>
      writeDocumentIndex(join(root, 'refused'), sourceOf(DOCUMENTS), {
        ...{ dimension: SIZE, scorer: 'max-sim', bits: 2 as const, session },
        ...options,
      });
    await expect(write({ type: 'hnsw' })).rejects.toThrow(
      'an index of type hnsw cannot compare several rows of a query, as max-sim does',
    );
    await expect(write({ dimensions: 8 })).rejects.toThrow(
      'rows that max-sim compares are kept whole, got 8',
    );
  });

  test('an index that was made of no tokens is not added to', async () => {
    const folder = join(root, 'of-nothing');
    await writeDocumentIndex(
      folder,
      { ...sourceOf([]), ids: new IdTable() },
      {
        ...{ dimension: SIZE, scorer: 'max-sim', bits: 2, session },
      },
    );
    const ids = new IdTable();
    ids.add('first');
    const add = { ...sourceOf(DOCUMENTS.slice(0, 1)), ids };
    await expect(changeDocumentIndex(folder, { add }, { session })).rejects.toThrow(
      'it was made of no tokens, so nothing says how to compress others',
    );
  });

  test('queries with several rows are refused by an index of single vectors', async () => {
    const folder = join(root, 'single');
    await writeDocumentIndex(folder, sourceOf(DOCUMENTS.map((rows) => rows.slice(0, SIZE))), {
      dimension: SIZE,
    });
    const index = await openDocumentIndex(folder, { session });
    await expect(index.search(queries.vectors, { k: 1, queryOffsets: queries.offsets })).rejects.toThrow(
      'expected one vector each, got several rows',
    );
    await index.close();
  });
});

function turnedRows(rows: Float32Array, directions: Float32Array): Float32Array {
  return rows.map((_, i) => {
    const [row, direction] = [Math.floor(i / SIZE) * SIZE, (i % SIZE) * SIZE];
    let sum = 0;
    for (let j = 0; j < SIZE; j++) sum += rows[row + j] * directions[direction + j];
    return sum;
  });
}
