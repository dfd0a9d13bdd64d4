import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readFields } from './protobuf.fixture.js';
import { ProtobufWriter } from './protobuf.js';

test('known bytes of the specification', () => {
  expect([...new ProtobufWriter().integer(1, 150).finish()]).toEqual([0x08, 0x96, 0x01]);
  expect([...new ProtobufWriter().string(2, 'testing').finish()]).toEqual([
    0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67,
  ]);
  const nested = new ProtobufWriter().message(3, new ProtobufWriter().integer(1, 150));
  expect([...nested.finish()]).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]);
  expect([...new ProtobufWriter().float(2, 1).finish()]).toEqual([0x15, 0, 0, 0x80, 0x3f]);
  expect([...new ProtobufWriter().integer(1, -1).finish()]).toEqual([8, ...new Array(9).fill(0xff), 1]);
});

test('64-bit integers of every size come back, in fields of every number', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.integer({ min: 1, max: 2047 }),
      (value, field) => {
        const [read] = readFields(new ProtobufWriter().integer(field, value).finish());
        expect(read).toEqual({ field, value: BigInt.asUintN(64, value) });
      },
    ),
  );
});

test('bytes and texts come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'grapheme' }), (bytes, string) => {
      const [first, second] = readFields(new ProtobufWriter().bytes(1, bytes).string(2, string).finish());
      expect(first.value).toEqual(bytes);
      expect(new TextDecoder().decode(second.value as Uint8Array)).toBe(string.toWellFormed());
    }),
  );
});
