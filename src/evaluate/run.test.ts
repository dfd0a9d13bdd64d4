import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes } from './byte-order.js';
import { inRankOrder, makeRun, selectHits } from './run.js';

const ranking = (hits: [string, number][]) => makeRun('t', { q: hits }).rankings.get('q')!;

test('texts are compared as strcmp compares their UTF-8 bytes', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', '\uffee', '😀', 'é') }),
  );
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

describe('rank order', () => {
  test('best score first, equal scores by descending id', () => {
    expect(
      inRankOrder(
        ranking([
          ['d1', 1],
          ['d10', 2],
          ['d2', 2],
          ['d3', 3],
        ]),
      ).ids,
    ).toEqual(['d3', 'd2', 'd10', 'd1']);
  });

  test('infinite scores stand at the ends', () => {
    const hits = ranking([
      ['a', -Infinity],
      ['b', 0],
      ['c', Infinity],
      ['d', Infinity],
    ]);
    expect(inRankOrder(hits).ids).toEqual(['d', 'c', 'b', 'a']);
  });

  test('the order of the input does not matter', () => {
    const hits = fc.uniqueArray(fc.tuple(fc.string(), fc.integer({ min: -3, max: 3 })), {
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(hits, fc.integer(), (list, rotation) => {
        const by = list.length === 0 ? 0 : Math.abs(rotation) % list.length;
        const rotated = [...list.slice(by), ...list.slice(0, by)].reverse();
        expect(inRankOrder(ranking(rotated))).toEqual(inRankOrder(ranking(list)));
      }),
    );
  });

  test('a ranking in order is not copied', () => {
    const hits = ranking([
      ['b', 2],
      ['a', 2],
      ['c', 1],
    ]);
    expect(inRankOrder(hits)).toBe(hits);
  });

  test('NaN is refused with the id', () => {
    expect(() => inRankOrder(ranking([['d7', Number.NaN]]))).toThrow(/"d7": expected a number .* got NaN/);
  });
});

test('selected hits: depth counts after the hit that is the query itself was dropped', () => {
  const hits = ranking([
    ['a', 4],
    ['q', 3],
    ['b', 2],
    ['c', 1],
  ]);
  expect(selectHits('q', hits, { depth: 2, dropIdentical: true }).ids).toEqual(['a', 'b']);
  expect([...selectHits('q', hits, { depth: 2, dropIdentical: true }).scores]).toEqual([4, 2]);
  expect(selectHits('q', hits, { depth: 2 }).ids).toEqual(['a', 'q']);
});
