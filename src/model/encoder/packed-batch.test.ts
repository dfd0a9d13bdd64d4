import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { representationOf } from '../representation/kinds.js';
import { batchByTokens, MASKED, packBatch } from './packed-batch.js';
import type { TokenizedText } from './tokenized-texts.js';

const FIRST = representationOf({ pooling: 'first' }, 'documents');
const MEAN = representationOf({ pooling: 'mean' }, 'documents');

const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 9 });

/** The least padded size of any cut of the sorted lengths into at most `groups`, tried one by one. */
function leastPadded(sorted: number[], groups: number): number {
  if (sorted.length === 0) return 0;
  if (groups === 1) return sorted.length * sorted.at(-1)!;
  const sizes = sorted.map((_, i) => {
    const first = sorted.slice(0, i + 1);
    return first.length * first.at(-1)! + leastPadded(sorted.slice(i + 1), groups - 1);
  });
  return Math.min(...sizes);
}

const texts = fc.array(fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 7 }), {
  minLength: 4,
  maxLength: 10,
});

describe('packBatch', () => {
  const packing = fc.record({
    pooling: fc.constantFrom('first', 'mean'),
    groups: fc.integer({ min: 1, max: 4 }),
    padTokenId: fc.constantFrom(0, 1),
    positionOffset: fc.constantFrom(0, 2),
  });

  test('pads as little as the best of all cuts by length', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 4 }), (sizes, groups) => {
        const texts = sizes.map((size) => ({ ids: new Int32Array(size) }));
        const packed = packBatch(texts, { groups, representation: MEAN, padTokenId: 0, positionOffset: 0 });
        expect(packed.ids.data).toHaveLength(
          leastPadded(
            sizes.toSorted((a, b) => a - b),
            groups,
          ),
        );
        expect([...packed.order].sort()).toEqual(sizes.map((_, i) => i));
      }),
    );
  });

  test("every text's tokens are found at its row, with their positions, mask and pooling weights", () => {
    fc.assert(
      fc.property(texts, packing, (ids, options) => {
        const packed = packBatch(
          ids.map((tokens) => ({ ids: tokens })),
          { ...options, representation: representationOf(options, 'documents') },
        );
        expect(packed.groups).toHaveLength(options.groups);
        expect([...packed.order].toSorted((a, b) => a - b)).toEqual(ids.map((_, i) => i));
        expect(packed.tokenCount).toBe(ids.flat().length);
        let [row, base] = [0, 0];
        for (const { bias, pool } of packed.groups) {
          const [count, length] = bias.shape;
          expect(pool!.shape).toEqual([count, length]);
          for (let i = 0; i < count; i++, row++) {
            const tokens = ids[packed.order[row]];
            const start = base + i * length;
            const at = (data: ArrayLike<number | bigint>, from: number): number[] =>
              Array.from({ length }, (_, t) => Number(data[from + t]));
            const padding = length - tokens.length;
            const rest = <T>(value: T): T[] => new Array<T>(padding).fill(value);
            expect(at(packed.ids.data, start)).toEqual([...tokens, ...rest(options.padTokenId)]);
            expect(at(packed.positions.data, start).slice(0, tokens.length)).toEqual(
              tokens.map((_, t) => options.positionOffset + t),
            );
            expect(at(bias.data, i * length)).toEqual([...tokens.map(() => 0), ...rest(MASKED)]);
            const weights = tokens.map((_, t) =>
              options.pooling === 'first' ? Number(t === 0) : Math.fround(1 / tokens.length),
            );
            expect(at(pool!.data, i * length)).toEqual([...weights, ...rest(0)]);
          }
          base += count * length;
        }
        expect(base).toBe(packed.ids.data.length);
      }),
    );
  });

  test('padding never points behind the position table', () => {
    const packed = packBatch([{ ids: [5, 6, 7] }, { ids: [8] }], {
      groups: 1,
      representation: MEAN,
      padTokenId: 1,
      positionOffset: 2,
    });
    expect([...(packed.positions.data as Int32Array)]).toEqual([2, 2, 2, 2, 3, 4]);
  });

  test('segments of pairs are kept', () => {
    const pair: TokenizedText = { ids: [5, 6, 7], types: [0, 1, 1] };
    const options = { groups: 1, representation: FIRST, padTokenId: 0, positionOffset: 0 } as const;
    expect([...(packBatch([pair], options).types.data as Int32Array)]).toEqual([0, 1, 1]);
  });

  test('more groups than texts cannot be', () => {
    const options = { groups: 3, representation: FIRST, padTokenId: 0, positionOffset: 0 } as const;
    expect(() => packBatch([{ ids: [5] }, { ids: [6] }], options)).toThrow('3 groups need at least 3 texts');
  });
});

describe('batchByTokens', () => {
  const options = fc.record({
    tokenBudget: fc.integer({ min: 1, max: 40 }),
    maxTexts: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  });

  test('covers every text once, longest first, within the budget unless one text alone exceeds it', () => {
    fc.assert(
      fc.property(lengths, options, (sizes, { tokenBudget, maxTexts }) => {
        const batches = batchByTokens(sizes, { tokenBudget, maxTexts });
        expect(batches.flat().toSorted((a, b) => a - b)).toEqual(sizes.map((_, i) => i));
        const ordered = batches.flat().map((text) => sizes[text]);
        expect(ordered).toEqual(ordered.toSorted((a, b) => b - a));
        for (const batch of batches) {
          const padded = batch.length * Math.max(...batch.map((text) => sizes[text]));
          expect(batch.length === 1 || padded <= tokenBudget).toBe(true);
          expect(batch.length).toBeLessThanOrEqual(maxTexts ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});
