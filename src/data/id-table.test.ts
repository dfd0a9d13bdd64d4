import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IdTable } from './id-table.js';

test('numbers ids as a Map would', () => {
  // Few different characters make repeats, shared prefixes and colliding slots likely.
  const id = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', '0', 'é', '中'), maxLength: 4 }),
    fc.string({ maxLength: 600 }),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 3000 }), (ids) => {
      const table = new IdTable();
      const known = new Map<string, number>();
      for (const each of ids) {
        expect(table.add(each)).toBe(!known.has(each));
        if (!known.has(each)) known.set(each, known.size);
      }
      expect(table.size).toBe(known.size);
      for (const [each, number] of known) {
        expect(table.indexOf(each)).toBe(number);
        expect(table.idAt(number)).toBe(each);
      }
      expect(table.has('never seen')).toBe(known.has('never seen'));
    }),
    { numRuns: 50, seed: 1 },
  );
});

test('holds ids longer than a chunk and over many chunks', () => {
  const table = new IdTable();
  const long = 'x'.repeat(3 * 2 ** 20);
  expect(table.add('first')).toBe(true);
  expect(table.add(long)).toBe(true);
  for (let i = 0; i < 200_000; i++) table.add(`document-${i}`);
  expect(table.add(long)).toBe(false);
  expect(table.idAt(1)).toBe(long);
  expect(table.indexOf('document-199999')).toBe(200_001);
  expect(() => table.idAt(table.size)).toThrow(RangeError);
});

test('two tables are equal with the same ids in the same order', () => {
  const table = (ids: string[]): IdTable => {
    const made = new IdTable();
    for (const id of ids) made.add(id);
    return made;
  };
  const ids = Array.from({ length: 3000 }, (_, i) => `${'ü'.repeat(i % 400)}${i}`);
  const same = (others: string[]): boolean => table(ids).equals(table(others));
  expect(same(ids)).toBe(true);
  expect(same(ids.slice(1))).toBe(false);
  expect(same([...ids, 'more'])).toBe(false);
  expect(same([...ids].reverse())).toBe(false);
  expect(same([...ids.slice(0, -1), ids.at(-1)!.replace('9', '8')])).toBe(false);
});
