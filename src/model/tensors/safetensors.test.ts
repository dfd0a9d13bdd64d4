import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NearmissError } from '../../base/errors.js';
import { decodeFloat16, encodeFloat16 } from '../../base/numbers/float16.js';
import { sizeOf } from '../../engine/shape.js';
import { SafetensorsFile, writeSafetensors } from './safetensors.js';
import type { NamedTensor } from './tensor.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-safetensors-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function withFile<T>(path: string, use: (file: SafetensorsFile) => Promise<T>): Promise<T> {
  const file = await SafetensorsFile.open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function readAll(path: string): Promise<Map<string, Float32Array>> {
  return withFile(path, async (file) => {
    const found = new Map<string, Float32Array>();
    for (const name of file.tensors.keys()) found.set(name, await file.read(name));
    return found;
  });
}

function bytesOf(values: Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** A file assembled by hand, independent of the writer. */
async function handmade(header: unknown, data: Uint8Array, length?: bigint): Promise<string> {
  const json = Buffer.isBuffer(header) ? header : Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(8);
  start.writeBigUInt64LE(length ?? BigInt(json.length));
  const path = join(folder, 'handmade.safetensors');
  await writeFile(path, Buffer.concat([start, json, data]));
  return path;
}

const anyTensors: fc.Arbitrary<NamedTensor[]> = fc
  .uniqueArray(fc.string({ minLength: 1, unit: 'binary' }), { maxLength: 6 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .array(fc.integer({ min: 0, max: 5 }), { maxLength: 3 })
          .chain((shape) =>
            fc
              .array(fc.float(), { minLength: sizeOf(shape), maxLength: sizeOf(shape) })
              .map((values) => ({ name, shape, data: Float32Array.from(values) })),
          ),
      ),
    ),
  );

function fitsHalf(value: number): boolean {
  return !Number.isFinite(value) || Math.abs(value) < 65520;
}

const halfTensors = anyTensors.map((tensors) =>
  tensors.map((tensor) => ({ ...tensor, data: tensor.data.map((value) => (fitsHalf(value) ? value : 1)) })),
);

describe('round trips', () => {
  test('f32 comes back bit for bit', async () => {
    await fc.assert(
      fc.asyncProperty(anyTensors, async (tensors) => {
        const path = join(folder, 'round-trip.safetensors');
        await writeSafetensors(path, tensors, { metadata: { made: 'by a test' } });
        await withFile(path, async (file) => {
          expect(file.metadata).toEqual({ format: 'pt', made: 'by a test' });
          expect(new Set(file.tensors.keys())).toEqual(new Set(tensors.map(({ name }) => name)));
          for (const { name, shape, data } of tensors) {
            expect(file.shape(name)).toEqual(shape);
            expect(bytesOf(await file.read(name, shape))).toEqual(bytesOf(data));
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  test('f16 comes back as the nearest half-precision values', async () => {
    await fc.assert(
      fc.asyncProperty(halfTensors, async (tensors) => {
        const path = join(folder, 'round-trip-f16.safetensors');
        await writeSafetensors(path, tensors, { dtype: 'f16' });
        const found = await readAll(path);
        for (const { name, data } of tensors) {
          const halves = new Uint16Array(data.length);
          encodeFloat16(data, halves);
          const expected = new Float32Array(data.length);
          decodeFloat16(halves, expected);
          expect(found.get(name)).toEqual(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('tensors longer than a conversion chunk', async () => {
    const data = Float32Array.from({ length: 1_300_001 }, (_, i) => (i % 2048) / 4);
    const path = join(folder, 'long.safetensors');
    await writeSafetensors(path, [{ name: 'long', shape: [data.length], data }], { dtype: 'f16' });
    const found = await withFile(path, (file) => file.read('long'));
    expect(Buffer.compare(bytesOf(found), bytesOf(data))).toBe(0);
  });

  test('the written layout is what the format says', async () => {
    const path = join(folder, 'layout.safetensors');
    await writeSafetensors(path, [
      { name: 'b', shape: [2], data: Float32Array.of(1, -2) },
      { name: 'a', shape: [], data: Float32Array.of(0.5) },
    ]);
    const bytes = await readFile(path);
    const length = Number(bytes.readBigUInt64LE());
    expect(length % 8).toBe(0);
    expect(JSON.parse(bytes.subarray(8, 8 + length).toString())).toEqual({
      __metadata__: { format: 'pt' },
      b: { dtype: 'F32', shape: [2], data_offsets: [0, 8] },
      a: { dtype: 'F32', shape: [], data_offsets: [8, 12] },
    });
    expect(bytes.readFloatLE(8 + length + 4)).toBe(-2);
    expect(bytes.length).toBe(8 + length + 12);
  });
});

describe('reading other stored types', () => {
  test('bf16, f64 and f16, at odd file offsets', async () => {
    const data = Buffer.alloc(1 + 4 + 16 + 4);
    data.writeUInt16LE(0x3fc0, 1);
    data.writeUInt16LE(0xff80, 3);
    data.writeDoubleLE(0.1, 5);
    data.writeDoubleLE(1e300, 13);
    data.writeUInt16LE(0x0001, 21);
    data.writeUInt16LE(0xfc00, 23);
    const path = await handmade(
      {
        flag: { dtype: 'BOOL', shape: [1], data_offsets: [0, 1] },
        brain: { dtype: 'BF16', shape: [2], data_offsets: [1, 5] },
        double: { dtype: 'F64', shape: [2], data_offsets: [5, 21] },
        half: { dtype: 'F16', shape: [2], data_offsets: [21, 25] },
      },
      data,
    );
    await withFile(path, async (file) => {
      expect([...(await file.read('brain'))]).toEqual([1.5, Number.NEGATIVE_INFINITY]);
      expect([...(await file.read('double'))]).toEqual([Math.fround(0.1), Number.POSITIVE_INFINITY]);
      expect([...(await file.read('half'))]).toEqual([2 ** -24, Number.NEGATIVE_INFINITY]);
    });
  });

  test('integers are listed, refused as floats, and given as bytes', async () => {
    const data = Buffer.alloc(16);
    data.writeBigInt64LE(-7n, 8);
    const path = await handmade({ ids: { dtype: 'I64', shape: [1, 2], data_offsets: [0, 16] } }, data);
    await withFile(path, async (file) => {
      expect(file.isFloat('ids')).toBe(false);
      await expect(file.read('ids')).rejects.toThrow('tensor "ids": expected F32, F16, BF16 or F64, got I64');
      expect(Buffer.from(await file.readBytes('ids'))).toEqual(data);
    });
  });
});

describe('errors', () => {
  const tensor = (begin: number, end: number, more: object = {}): object => ({
    dtype: 'F32',
    shape: [(end - begin) / 4],
    data_offsets: [begin, end],
    ...more,
  });

  test.each<[string, unknown, number, string, bigint?]>([
    ['a header longer than the file', {}, 0, 'is cut off: expected at least 1008 bytes, got 10', 1000n],
    ['an absurd header length', {}, 0, 'expected a header of at most 100000000 bytes', 2n ** 60n],
    ['broken JSON', Buffer.from('{"a": '), 0, 'the header is not valid JSON'],
    ['JSON that is not an object', [1], 0, 'does not start with "{"'],
    ['invalid UTF-8', Buffer.from('{"\xff":1}', 'latin1'), 0, 'the header is not valid JSON'],
    ['metadata that is not strings', { __metadata__: { n: 1 } }, 0, '"__metadata__.n": expected a string'],
    ['an entry that is not an object', { a: 3 }, 0, 'tensor "a": expected an object, got a number (3)'],
    [
      'a missing dtype',
      { a: tensor(0, 4, { dtype: undefined }) },
      4,
      '"dtype": expected a string, got nothing',
    ],
    ['a negative size', { a: tensor(0, 4, { shape: [-1] }) }, 4, '"shape": expected an array of sizes'],
    ['a fractional offset', { a: tensor(0, 4, { data_offsets: [0, 3.5] }) }, 4, '"data_offsets"'],
    ['reversed offsets', { a: tensor(0, 4, { data_offsets: [4, 0] }) }, 4, 'expected begin ≤ end'],
    ['a shape that does not fit', { a: tensor(0, 8, { shape: [3] }) }, 8, 'F32 [3] needs 12 bytes, got 8'],
    ['overlapping tensors', { a: tensor(0, 8), b: tensor(4, 12) }, 12, '"b" overlaps the tensor before it'],
    ['a hole', { a: tensor(0, 4), b: tensor(8, 12) }, 12, '"b" leaves a hole before it'],
    ['data cut off', { a: tensor(0, 8) }, 5, 'the file is cut off: expected'],
    ['trailing bytes', { a: tensor(0, 4) }, 9, 'there are bytes after the last tensor'],
  ])('%s', async (_, header, dataBytes, message, length) => {
    const path = await handmade(header, new Uint8Array(dataBytes), length);
    const error = await SafetensorsFile.open(path).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NearmissError);
    expect((error as NearmissError).message).toContain(message);
    expect((error as NearmissError).message).toContain(path);
    expect((error as NearmissError).hint).toBeTruthy();
  });

  test('an empty file and a missing one', async () => {
    const path = join(folder, 'empty.safetensors');
    await writeFile(path, '');
    await expect(SafetensorsFile.open(path)).rejects.toThrow('expected at least 8 bytes, got 0');
    await expect(SafetensorsFile.open(join(folder, 'none'))).rejects.toThrow('no such file');
    await expect(SafetensorsFile.open(folder)).rejects.toThrow('expected a file, got a folder');
  });

  test('a missing and a misshapen tensor are named', async () => {
    const path = join(folder, 'named.safetensors');
    await writeSafetensors(path, [{ name: 'weight', shape: [2, 3], data: new Float32Array(6) }]);
    await withFile(path, async (file) => {
      await expect(file.read('bias')).rejects.toMatchObject({
        message: `${path}: tensor "bias" is missing`,
        hint: 'the file holds 1 tensors: weight',
      });
      await expect(file.read('weight', [3, 2])).rejects.toThrow(
        'tensor "weight": expected shape [3, 2], got [2, 3]',
      );
    });
  });

  test('the writer refuses what it could not write truly, and leaves nothing behind', async () => {
    const empty = await mkdtemp(join(folder, 'refused-'));
    const path = join(empty, 'model.safetensors');
    const one = { name: 'a', shape: [1], data: Float32Array.of(1) };
    await expect(writeSafetensors(path, [one, one])).rejects.toThrow('two tensors are named "a"');
    await expect(writeSafetensors(path, [{ ...one, shape: [2] }])).rejects.toThrow('needs 2 values, got 1');
    await expect(writeSafetensors(path, [{ ...one, name: '__metadata__' }])).rejects.toThrow('two tensors');
    const large = { ...one, data: Float32Array.of(-65520) };
    await expect(writeSafetensors(path, [large], { dtype: 'f16' })).rejects.toThrow(
      `${path}: tensor "a": -65520 is too large for f16 (at most 65504)`,
    );
    await expect(writeSafetensors(join(import.meta.filename, 'x'), [one])).rejects.toThrow('cannot write');
    expect(await readdir(empty)).toEqual([]);
  });
});

test('damaged files give an error for people, or are read: never a crash', async () => {
  const path = join(folder, 'fuzz.safetensors');
  await writeSafetensors(path, [
    { name: 'weight', shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
    { name: 'bias', shape: [2], data: Float32Array.of(7, 8) },
  ]);
  const whole = await readFile(path);
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 4 }),
      fc.option(fc.nat(whole.length), { nil: undefined }),
      async (changes, cut) => {
        const bytes = Buffer.from(whole);
        for (const { at, byte } of changes) bytes[at] = byte;
        await writeFile(path, bytes.subarray(0, cut));
        await readAll(path).catch((error) => {
          expect(error).toBeInstanceOf(NearmissError);
          refused++;
        });
      },
    ),
    { numRuns: 1500 },
  );
  expect(refused).toBeGreaterThan(500);
});
