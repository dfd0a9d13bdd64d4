import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NearmissError } from '../../base/errors.js';
import { oneRowEach } from '../encoder/encoded-texts.js';
import { idsPath, VectorFile, type VectorFileOptions, VectorFileWriter } from './vector-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-vectors-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(
  path: string,
  options: VectorFileOptions,
  batches: [Float32Array, string[]?][],
): Promise<void> {
  const writer = await VectorFileWriter.create(path, options);
  try {
    for (const [vectors, ids] of batches) {
      const rows = Math.ceil(vectors.length / options.dimension);
      await writer.write({ vectors, offsets: oneRowEach(rows) }, ids);
    }
    await writer.commit();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

async function withFile<T>(
  path: string,
  use: (file: VectorFile) => Promise<T>,
  dimension?: number,
): Promise<T> {
  const file = await VectorFile.open(path, { dimension });
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

test('the .npy layout is what NumPy writes', async () => {
  const path = join(folder, 'layout.npy');
  await write(path, { dimension: 2 }, [[Float32Array.of(1, 2)], [Float32Array.of(3, 4, 5, -6)]]);
  const bytes = await readFile(path);
  expect(bytes.subarray(0, 8)).toEqual(Buffer.from('\x93NUMPY\x01\x00', 'latin1'));
  expect(bytes.readUInt16LE(8)).toBe(118);
  expect(bytes.toString('latin1', 10, 128).trimEnd()).toBe(
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
  );
  expect(bytes[127]).toBe(0x0a);
  expect(bytes.readFloatLE(128 + 20)).toBe(-6);
  expect(bytes.length).toBe(128 + 24);
});

test('texts of several rows: each row has the id of its text, by which they are told apart', async () => {
  const path = join(folder, 'several.npy');
  const encoded = { vectors: Float32Array.of(1, 2, 3, 4, 5, 6), offsets: Uint32Array.of(0, 2, 3) };
  const writer = await VectorFileWriter.create(path, { dimension: 2, ids: true });
  await writer.write(encoded, ['a', 'b']);
  await writer.commit();
  await withFile(path, async (file) => {
    expect(await file.ids()).toEqual(['a', 'a', 'b']);
    expect(await file.read(0, 3)).toEqual(encoded.vectors);
  });
  const bare = await VectorFileWriter.create(path, { dimension: 2 });
  await expect(bare.write(encoded)).rejects.toThrow('expected one row for each text, got 3 rows');
  const empty = { ...encoded, offsets: Uint32Array.of(0, 0, 3) };
  await expect(bare.write(empty, ['a', 'b'])).rejects.toThrow('text 0: expected at least one row, got 0');
  await bare.abort();
});

test('what was written in batches is read in blocks', async () => {
  const batch = fc.integer({ min: 0, max: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('.npy', '.f32', '.f16'),
      fc.constantFrom('f32' as const, 'f16' as const),
      fc.integer({ min: 1, max: 5 }),
      fc.array(batch, { maxLength: 5 }),
      fc.integer({ min: 1, max: 7 }),
      async (ending, asked, dimension, sizes, rowsPerBlock) => {
        const path = join(folder, `round-trip${ending}`);
        let next = 0;
        // Whole numbers below 2048 are exact in half precision, too.
        const batches = sizes.map((size): [Float32Array, string[]] => [
          Float32Array.from({ length: size * dimension }, () => next++),
          Array.from({ length: size }, (_, i) => `dé${next}-${i}`),
        ]);
        const dtype = ending === '.npy' ? asked : undefined;
        await write(path, { dimension, dtype, ids: true }, batches);
        await withFile(
          path,
          async (file) => {
            const rows = sizes.reduce((sum, size) => sum + size, 0);
            expect(file.rows).toBe(rows);
            const read: number[] = [];
            for await (const block of file.blocks(rowsPerBlock)) {
              expect(block.length).toBeLessThanOrEqual(rowsPerBlock * dimension);
              read.push(...block);
            }
            expect(read).toEqual(Array.from({ length: next }, (_, i) => i));
            expect(await file.ids()).toEqual(batches.flatMap(([, ids]) => ids));
          },
          dimension,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('rows can be read from anywhere, not from beyond', async () => {
  const path = join(folder, 'anywhere.npy');
  await write(path, { dimension: 3, dtype: 'f16' }, [[Float32Array.from({ length: 30 }, (_, i) => i)]]);
  await withFile(path, async (file) => {
    expect([...(await file.read(4, 2))]).toEqual([12, 13, 14, 15, 16, 17]);
    await expect(file.read(9, 2)).rejects.toThrow(RangeError);
  });
});

/** A file as NumPy would write it, in any version of the format. */
async function numpyFile(header: string, data: Uint8Array, version = 1): Promise<string> {
  const path = join(folder, 'numpy.npy');
  const length = Buffer.alloc(version === 1 ? 2 : 4);
  if (version === 1) length.writeUInt16LE(header.length);
  else length.writeUInt32LE(header.length);
  const magic = Buffer.from([0x93, ...Buffer.from('NUMPY'), version, 0]);
  await writeFile(path, Buffer.concat([magic, length, Buffer.from(header), data]));
  return path;
}

test('NumPy files of other versions and types are read', async () => {
  const data = Buffer.from(Float64Array.of(0.5, 1, -2, 4).buffer);
  const matrix = await numpyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }   \n", data, 2);
  await withFile(matrix, async (file) => expect([...(await file.read(1, 1))]).toEqual([-2, 4]));
  const vector = await numpyFile("{'shape': (4,), 'fortran_order': False, 'descr': '<f8'}\n", data, 3);
  await withFile(vector, async (file) => {
    expect(file.dimension).toBe(1);
    expect([...(await file.read(0, 4))]).toEqual([0.5, 1, -2, 4]);
  });
});

describe('errors', () => {
  test.each([
    ["{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }", 8, "got '>f4'"],
    ["{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }", 16, "got '<i8'"],
    ["{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", 8, 'expected rows one after another'],
    ["{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 1), }", 8, 'expected a matrix, got 3 axes'],
    ["{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, 'expected a matrix, got 0 axes'],
    ["{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", 8, '(2 rows of 2 f32 numbers), got'],
    ["{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", 9, '(1 rows of 2 f32 numbers), got'],
  ])('%s with %i bytes', async (header, bytes, message) => {
    const path = await numpyFile(header, new Uint8Array(bytes));
    await expect(VectorFile.open(path)).rejects.toThrow(message);
  });

  test('other formats, versions and sizes', async () => {
    const path = join(folder, 'other.npy');
    await writeFile(path, 'PK\x03\x04 a zip file');
    await expect(VectorFile.open(path)).rejects.toThrow('does not start with \\x93NUMPY');
    await expect(VectorFile.open(await numpyFile('', new Uint8Array(9), 7))).rejects.toThrow('got 7');
    const raw = join(folder, 'other.f32');
    await writeFile(raw, Buffer.alloc(12));
    await expect(VectorFile.open(raw)).rejects.toThrow('the dimension of bare rows is not known');
    await expect(VectorFile.open(raw, { dimension: 2 })).rejects.toThrow('expected 8 bytes');
    await write(path, { dimension: 2 }, []);
    await expect(VectorFile.open(path, { dimension: 3 })).rejects.toThrow(
      'expected rows of 3 numbers, got 2',
    );
  });

  test('what cannot be written is refused and leaves nothing', async () => {
    const empty = await mkdtemp(join(folder, 'refused-'));
    const path = join(empty, 'vectors.npy');
    const two = Float32Array.of(1, 2);
    await expect(write(path, { dimension: 3 }, [[two]])).rejects.toThrow(
      'expected rows of 3 numbers, got 2 numbers',
    );
    await expect(write(path, { dimension: 2, ids: true }, [[two]])).rejects.toThrow('expected 1 ids, got 0');
    await expect(write(path, { dimension: 2, ids: true }, [[two, ['a\nb']]])).rejects.toThrow(
      '"a\\nb" has a line break',
    );
    await expect(write(join(empty, 'v.bin'), { dimension: 2 }, [])).rejects.toThrow('.npy, .f32 or .f16');
    await expect(write(join(empty, 'v.f32'), { dimension: 2, dtype: 'f16' }, [])).rejects.toThrow(
      'the name says f32',
    );
    expect(await readdir(empty)).toEqual([]);
  });

  test('ids that do not match the rows', async () => {
    const path = join(folder, 'mismatch.npy');
    await write(path, { dimension: 1, ids: true }, [[Float32Array.of(1, 2), ['a', 'b']]]);
    await writeFile(idsPath(path), 'a\n');
    await withFile(path, (file) =>
      expect(file.ids()).rejects.toThrow('expected 2 ids, one for each row, got 1'),
    );
  });

  test('damaged headers give an error for people, or are read', async () => {
    const path = join(folder, 'fuzz.npy');
    await write(path, { dimension: 2 }, [[Float32Array.of(1, 2, 3, 4)]]);
    const whole = await readFile(path);
    const change = fc.record({ at: fc.nat(90), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.nat(whole.length),
        async (changes, cut) => {
          const bytes = Buffer.from(whole);
          for (const { at, byte } of changes) bytes[at] = byte;
          await writeFile(path, bytes.subarray(0, cut % 3 === 0 ? cut : undefined));
          await withFile(path, (file) => file.read(0, file.rows)).catch((error) => {
            expect(error).toBeInstanceOf(NearmissError);
          });
        },
      ),
      { numRuns: 500 },
    );
  });
});
