import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Qrels } from '../../data/dataset.js';
import { evaluate } from '../../evaluate/evaluate.js';
import { parseMeasure } from '../../evaluate/parse-measure.js';
import { makeRun, type Ranking } from '../../evaluate/run.js';
import { normalizeScores } from './columns.js';
import { fuseRankings, fuseRuns } from './fuse.js';
import { tuneWeights } from './tune.js';

const list = (hits: Record<string, number>): Ranking =>
  makeRun('t', { q: Object.entries(hits) }).rankings.get('q')!;
const plain = ({ ids, scores }: Ranking): Record<string, number> =>
  Object.fromEntries(ids.map((id, i) => [id, scores[i]]));

const hitsArbitrary = fc
  .dictionary(fc.constantFrom(...'abcdefgh'), fc.integer({ min: -20, max: 20 }), { noNullPrototype: true })
  .map(list);

describe('linear fusion', () => {
  test("a passage that a list lacks gets that list's minimum, for both lists", () => {
    const dense = list({ a: 10, b: 8, c: 6 });
    const bm25 = list({ b: 20, d: 12 });
    // s = dense + 0.5 BM25; BM25's minimum is 12, dense's is 6.
    expect(plain(fuseRankings([dense, bm25], { weights: [1, 0.5] }))).toEqual({
      b: 8 + 10,
      a: 10 + 6,
      d: 6 + 6,
      c: 6 + 6,
    });
  });

  test('a missing or empty list changes nothing', () => {
    const dense = list({ a: 2, b: 1 });
    for (const other of [undefined, list({})]) {
      expect(plain(fuseRankings([dense, other]))).toEqual({ a: 2, b: 1 });
    }
  });

  test('depth, and ties by id as in trec_eval', () => {
    const fused = fuseRankings([list({ a: 1, c: 1, b: 2 })], { depth: 2 });
    expect(fused.ids).toEqual(['b', 'c']);
  });

  test('wrong weights', () => {
    expect(() => fuseRankings([list({ a: 1 })], { weights: [1, 2] })).toThrow(
      'expected 1 weights, one for each list, got 2',
    );
    expect(() => fuseRankings([list({ a: 1 })], { weights: [-1] })).toThrow(
      'expected weights from 0, got -1',
    );
    expect(() => fuseRankings([list({ a: 1 })], { weights: [Number.NaN] })).toThrow('got NaN');
  });
});

describe('reciprocal rank fusion', () => {
  test('the formula, k = 60, nothing for a missing passage', () => {
    const fused = plain(fuseRankings([list({ a: 9, b: 5 }), list({ b: 0.3, c: 0.2 })], { method: 'rrf' }));
    expect(fused.b).toBeCloseTo(1 / 62 + 1 / 61, 15);
    expect(fused.a).toBeCloseTo(1 / 61, 15);
    expect(fused.c).toBeCloseTo(1 / 62, 15);
  });

  test('only the order of scores matters', () => {
    fc.assert(
      fc.property(hitsArbitrary, hitsArbitrary, (a, b) => {
        const stretched = { ids: a.ids, scores: a.scores.map((score) => score ** 3 + 5) };
        expect(fuseRankings([stretched, b], { method: 'rrf' })).toEqual(
          fuseRankings([a, b], { method: 'rrf' }),
        );
      }),
    );
  });
});

describe('invariants', () => {
  const settings = fc.record({
    method: fc.constantFrom('linear' as const, 'rrf' as const),
    normalization: fc.constantFrom('none' as const, 'minmax' as const, 'zscore' as const),
  });

  test('every candidate comes out once', () => {
    fc.assert(
      fc.property(hitsArbitrary, hitsArbitrary, settings, (a, b, options) => {
        const fused = fuseRankings([a, b], options);
        expect([...fused.ids].sort()).toEqual([...new Set([...a.ids, ...b.ids])].sort());
      }),
    );
  });

  test('the order of the lists does not matter when their weights go with them', () => {
    fc.assert(
      fc.property(hitsArbitrary, hitsArbitrary, settings, (a, b, options) => {
        const there = plain(fuseRankings([a, b], { ...options, weights: [2, 3] }));
        const back = plain(fuseRankings([b, a], { ...options, weights: [3, 2] }));
        for (const [id, score] of Object.entries(there)) expect(back[id]).toBeCloseTo(score, 12);
      }),
    );
  });

  test('a list fused with itself, or alone with any weight, keeps its order', () => {
    fc.assert(
      fc.property(hitsArbitrary, settings, (a, options) => {
        // Equal scores stay equal, so the order of ids is decided as before.
        const alone = fuseRankings([a], { ...options, normalization: 'none' }).ids;
        expect(fuseRankings([a, a], { ...options, normalization: 'none' }).ids).toEqual(alone);
        expect(fuseRankings([a], { ...options, normalization: 'none', weights: [4] }).ids).toEqual(alone);
      }),
    );
  });

  test('normalised scores do not depend on scale and origin', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }),
        fc.constantFrom('minmax' as const, 'zscore' as const),
        (scores, normalization) => {
          const one = normalizeScores(Float64Array.from(scores), normalization);
          const other = normalizeScores(
            Float64Array.from(scores, (score) => 3 * score + 7),
            normalization,
          );
          one.forEach((value, i) => {
            expect(other[i]).toBeCloseTo(value, 9);
          });
          if (normalization === 'minmax') expect(Math.min(...one)).toBe(0);
        },
      ),
    );
  });
});

describe('tuning', () => {
  // System x is right on even queries and shows it by a high score, y on odd ones; neither is good alone.
  const queries = Array.from({ length: 20 }, (_, i) => `q${i}`);
  const right = (sure: (i: number) => boolean, scale: number) =>
    Object.fromEntries(
      queries.map((query, i): [string, [string, number][]] => [
        query,
        sure(i)
          ? [
              ['hit', 5 * scale],
              ['miss', scale],
            ]
          : [
              ['miss', 1.2 * scale],
              ['hit', scale],
            ],
      ]),
    );
  const x = makeRun(
    'x',
    right((i) => i % 2 === 0, 1),
  );
  const y = makeRun(
    'y',
    right((i) => i % 2 === 1, 300),
  );
  const noise = makeRun(
    'noise',
    right(() => false, 40),
  );
  const qrels: Qrels = new Map(queries.map((query) => [query, new Map([['hit', 1]])]));
  const measure = parseMeasure('RR@10');
  const value = (weights: number[], runs = [x, y]): number =>
    evaluate(fuseRuns(runs, { weights }), qrels, [measure]).mean['RR@10'];

  test('finds weights that make both useful, whatever their scales', () => {
    const points: number[] = [];
    const tuned = tuneWeights([x, y], qrels, measure, { onPoint: (point) => points.push(point.value) });
    expect(tuned.value).toBe(1);
    expect(value(tuned.weights)).toBe(tuned.value);
    expect(value([1, 1])).toBeLessThan(1);
    expect(tuned.value).toBe(Math.max(...points));
    expect(points.length).toBeGreaterThan(40);
  });

  test('never worse than the best system alone; a useless one is found out', () => {
    const runs = [noise, x, y];
    const tuned = tuneWeights(runs, qrels, measure);
    expect(tuned.value).toBe(1);
    expect(value(tuned.weights, runs)).toBe(1);
    const alone = tuneWeights([noise, x], qrels, measure);
    expect(alone.value).toBeGreaterThanOrEqual(evaluate(x, qrels, [measure]).mean['RR@10']);
  });
});

test('runs: queries of any of them, tags joined', () => {
  const fused = fuseRuns([makeRun('a', { q1: [['d', 1]] }), makeRun('b', { q2: [['d', 2]] })]);
  expect(fused.tag).toBe('a+b');
  expect([...fused.rankings.keys()]).toEqual(['q1', 'q2']);
});
