import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkOffsets,
  isOneRowEach,
  OffsetsBuilder,
  oneRowEach,
  rowsOf,
  stackRows,
} from './encoded-texts.js';

const rows = (dimension: number) =>
  fc.array(fc.float({ noNaN: true }), { maxLength: 4 * dimension }).map((values) => {
    return Float32Array.from(values.slice(0, values.length - (values.length % dimension)));
  });

test('texts stacked from their rows give them back, whatever their number', () => {
  const texts = fc
    .integer({ min: 1, max: 3 })
    .chain((dimension) =>
      fc.record({ dimension: fc.constant(dimension), texts: fc.array(rows(dimension), { maxLength: 6 }) }),
    );
  fc.assert(
    fc.property(texts, ({ dimension, texts }) => {
      const encoded = stackRows(texts, dimension);
      checkOffsets(encoded.offsets, { rows: encoded.vectors.length / dimension, mayBeEmpty: true });
      expect(texts.map((_, i) => rowsOf(encoded, i))).toEqual(texts);
      expect(isOneRowEach(encoded.offsets)).toBe(texts.every((text) => text.length === dimension));
    }),
  );
});

test("a collection's offsets are those of its parts, one behind the other", () => {
  const counts = fc.array(fc.array(fc.nat({ max: 5 }), { maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(counts, (parts) => {
      const builder = new OffsetsBuilder();
      for (const part of parts) {
        builder.add(
          stackRows(
            part.map((count) => new Float32Array(count)),
            1,
          ),
        );
      }
      const all = stackRows(
        parts.flat().map((count) => new Float32Array(count)),
        1,
      );
      expect(builder.build()).toEqual(all.offsets);
      expect(builder.rows).toBe(all.vectors.length);
    }),
  );
});

describe('offsets are checked', () => {
  test.each([
    [[0, 1, 2], 3, 'expected them to go from 0 to 3, the number of rows, got 0 to 2'],
    [[1, 3], 3, 'got 1 to 3'],
    [[], 3, 'got undefined to undefined'],
    [[0, 2, 2, 3], 3, 'text 1: expected at least one row, got 0'],
    [[0, 2, 1, 3], 3, 'text 1: expected at least one row, got -1'],
  ])('%j of %i rows', (offsets, count, message) => {
    expect(() => checkOffsets(offsets, { rows: count })).toThrow(message);
  });

  test('a text without rows only where that is allowed', () => {
    expect(() => checkOffsets([0, 0, 1], { rows: 1, mayBeEmpty: true })).not.toThrow();
    expect(() => checkOffsets([0, 1, 0, 1], { rows: 1, mayBeEmpty: true })).toThrow(
      'text 1: expected no fewer than 0 rows, got -1',
    );
    expect(() => checkOffsets(oneRowEach(3), { rows: 3 })).not.toThrow();
    expect(() => checkOffsets(oneRowEach(0), { rows: 0 })).not.toThrow();
  });
});
