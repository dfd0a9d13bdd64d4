import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { ProtobufWriter } from '../../engine/onnx/protobuf.js';
import { type Field, ProtobufReader } from './protobuf-reader.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-protobuf-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function read<T>(
  bytes: Uint8Array,
  use: (reader: ProtobufReader, fields: Field[]) => Promise<T>,
): Promise<T> {
  const path = join(folder, 'message');
  await writeFile(path, bytes);
  const file = await RandomAccessFile.open(path);
  try {
    const reader = new ProtobufReader(file);
    const fields: Field[] = [];
    for await (const field of reader.fields({ start: 0, end: file.size })) fields.push(field);
    return await use(reader, fields);
  } finally {
    await file.close();
  }
}

test('numbers, texts and floats come back, in fields of every number', async () => {
  const numbers = fc.integer({ min: 1, max: 2047 });
  const safe = fc.maxSafeInteger();
  await fc.assert(
    fc.asyncProperty(
      numbers,
      safe,
      fc.string({ unit: 'grapheme' }),
      fc.float({ noNaN: true }),
      async (n, integer, text, float) => {
        const bytes = new ProtobufWriter().integer(n, integer).string(n, text).float(n, float).finish();
        await read(bytes, async (reader, [first, second, third]) => {
          expect(first).toMatchObject({ number: n, integer });
          expect(await reader.text(second)).toBe(text.toWellFormed());
          const stored = await reader.bytes(third);
          expect(new DataView(stored.buffer).getFloat32(0, true)).toBe(float);
        });
      },
    ),
  );
});

test('what lies between is not read, however long', async () => {
  const long = new Uint8Array(300_000).fill(7);
  const bytes = new ProtobufWriter().bytes(1, long).integer(2, 5).bytes(3, long).string(4, 'end').finish();
  await read(bytes, async (reader, fields) => {
    expect(fields.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(await reader.text(fields[3])).toBe('end');
    expect(Buffer.from(long).equals(await reader.bytes(fields[0]))).toBe(true);
  });
});

test('repeated numbers, packed or not', async () => {
  const bytes = new ProtobufWriter()
    .integer(1, 300)
    .bytes(1, Uint8Array.of(0xac, 0x02, 0x05))
    .finish();
  await read(bytes, async (reader, [alone, packed]) => {
    expect(await reader.integers(alone)).toEqual([300]);
    expect(await reader.integers(packed)).toEqual([300, 5]);
  });
});

test.each([
  ['a field that is longer than the file', Uint8Array.of(0x0a, 0x7f, 1), 'the file is cut off'],
  ['a number without an end', new Uint8Array(12).fill(0xff), 'a number without an end at byte 0'],
  ['an unknown kind of field', Uint8Array.of(0x0b, 0), 'a field of an unknown kind'],
])('%s is told', async (_, bytes, message) => {
  await expect(read(bytes, async () => undefined)).rejects.toThrow(message);
});

test('a field that is longer than its message is told', async () => {
  const inner = Uint8Array.of(0x0a, 0x04, 1);
  const bytes = new ProtobufWriter().bytes(1, inner).string(2, 'more').finish();
  const path = join(folder, 'nested');
  await writeFile(path, bytes);
  const file = await RandomAccessFile.open(path);
  onTestFinished(() => file.close());
  const reader = new ProtobufReader(file);
  const nested = reader.fields({ start: 2, end: 5 });
  await expect(nested.next()).rejects.toThrow('the field at byte 4 reaches beyond its message');
});
