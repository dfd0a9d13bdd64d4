import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Qrels } from '../data/dataset.js';
import { compareRuns, largestDifferences } from './compare.js';
import { formatComparison, systemLetter } from './compare-report.js';
import { rankBiasedOverlap, sharedHits } from './overlap.js';
import { makeRun, type Run } from './run.js';

/** A system that ranks the relevant document of query i at `rank(i)`. */
function system(tag: string, queries: number, rank: (query: number) => number): Run {
  const hits = (query: number): [string, number][] =>
    Array.from({ length: 10 }, (_, i) => [i + 1 === rank(query) ? 'hit' : `${tag}${i}`, -i]);
  return makeRun(tag, Object.fromEntries(Array.from({ length: queries }, (_, q) => [`q${q}`, hits(q)])));
}
const qrelsOf = (queries: number): Qrels =>
  new Map(Array.from({ length: queries }, (_, q) => [`q${q}`, new Map([['hit', 1]])]));

const good = system('good', 30, (q) => 1 + (q % 2));
const fair = system('fair', 30, (q) => 2 + (q % 3));
const same = system('same', 30, (q) => 2 + ((q + 1) % 3));

describe('pairs', () => {
  const { pairs, evaluations } = compareRuns([fair, good, same], qrelsOf(30), ['RR@10', 'Success@1']);

  test('every later system against every earlier one, for each measure', () => {
    expect(pairs.map(({ measure, system: s, reference }) => [measure, s, reference])).toEqual([
      ['RR@10', 1, 0],
      ['RR@10', 2, 0],
      ['RR@10', 2, 1],
      ['Success@1', 1, 0],
      ['Success@1', 2, 0],
      ['Success@1', 2, 1],
    ]);
    expect(evaluations.map(({ missing }) => missing)).toEqual([0, 0, 0]);
  });

  test('a clear difference is significant by both tests, none is not', () => {
    const [better, equal] = pairs;
    expect(better.difference).toBeCloseTo(evaluations[1].mean['RR@10'] - evaluations[0].mean['RR@10'], 12);
    expect(better.significant).toBe(true);
    expect(better.p.t).toBeLessThan(0.001);
    expect(better.p.fisher).toBeLessThan(0.001);
    expect(better.p.t).toBeCloseTo(3 * better.rawP.t, 12);
    expect(equal.significant).toBe(false);
    expect(equal.difference).toBeCloseTo(0, 12);
    expect(better).toMatchObject({ wins: 25, ties: 5, losses: 0 });
    expect(equal.wins + equal.ties + equal.losses).toBe(30);
  });

  test('with a baseline only pairs with it', () => {
    const { pairs } = compareRuns([fair, good, same], qrelsOf(30), ['RR@10'], { baseline: 1 });
    expect(pairs.map(({ system: s, reference }) => [s, reference])).toEqual([
      [0, 1],
      [2, 1],
    ]);
  });

  test('queries that a run lacks count as 0 for it', () => {
    const short = makeRun('short', { q0: [['hit', 1]] });
    const comparison = compareRuns([good, short], qrelsOf(40), ['RR@10']);
    expect(comparison.queries).toHaveLength(30);
    expect(comparison.evaluations.map(({ missing }) => missing)).toEqual([0, 29]);
    expect(comparison.evaluations[1].mean['RR@10']).toBeCloseTo(1 / 30, 12);
    expect(compareRuns([good, short], qrelsOf(40), ['RR@10'], { complete: true }).queries).toHaveLength(40);
  });

  test('nothing to compare', () => {
    expect(() => compareRuns([good, fair], new Map([['other', new Map()]]), ['RR'])).toThrow(
      /no query in common|none of the runs/,
    );
    expect(() => compareRuns([good, fair], qrelsOf(30), ['gm_map'])).toThrow(/none of these measures/);
  });
});

test('the largest gains and losses', () => {
  const { gains, losses } = largestDifferences(
    Float64Array.of(1, 0, 0.5, 0.5),
    Float64Array.of(0, 1, 0.5, 0.25),
    ['a', 'b', 'c', 'd'],
    3,
  );
  expect(gains.map(({ query }) => query)).toEqual(['a', 'd']);
  expect(losses).toEqual([{ query: 'b', system: 0, reference: 1, difference: -1 }]);
});

describe('the report', () => {
  const comparison = compareRuns([fair, good], qrelsOf(30), ['RR@10']);
  const names = ['fair_1', 'good'];

  test('text', () => {
    const lines = formatComparison(comparison, { names, differences: 1 }).split('\n');
    expect(lines[0]).toBe('   system  RR@10');
    expect(lines[1]).toBe('a  fair_1  0.3611');
    expect(lines[2]).toBe('b  good    0.7500ᵃ');
    expect(lines).toContain('measure  pair   difference     t    p (t)  p (Fisher)  win/tie/loss');
    expect(lines.at(-2)).toMatch(/^q\d+ +1\.0000 +0\.\d{4} +\+0\.\d{4}$/);
  });

  test('Markdown and LaTeX', () => {
    const markdown = formatComparison(comparison, { names, format: 'markdown' });
    expect(markdown).toContain('| b | good | **0.7500**<sup>a</sup> |');
    expect(markdown).toContain('| a | fair\\_1 | 0.3611 |');
    const latex = formatComparison(comparison, { names, format: 'latex' });
    expect(latex).toContain('a & fair\\_1 & 0.3611 \\\\');
    expect(latex).toContain('b & good & \\textbf{0.7500}$^{a}$ \\\\');
  });

  test('letters go on after the alphabet, and none comes twice', () => {
    const letters = Array.from({ length: 700 }, (_, i) => systemLetter(i));
    expect(new Set(letters).size).toBe(700);
    expect(letters[25]).toBe('aa');
    expect(letters.join('')).not.toContain('q');
  });
});

describe('overlap', () => {
  test('shared hits', () => {
    expect(sharedHits(['a', 'b', 'c'], ['c', 'a', 'x'], 2)).toBe(0.5);
    expect(sharedHits(['a', 'b', 'c'], ['a'], 3)).toBe(1 / 3);
    expect(sharedHits([], [], 3)).toBe(1);
  });

  test('rank-biased overlap: known values, bounds, symmetry', () => {
    // By hand, p = 0.9: agreements 0, 1, 2/3 at depths 1–3, extrapolated by 2/3.
    const expected = (0.1 / 0.9) * (0.81 + (2 / 3) * 0.729) + (2 / 3) * 0.729;
    expect(rankBiasedOverlap(['a', 'b', 'c'], ['b', 'a', 'd'])).toBeCloseTo(expected, 12);
    const list = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e', 'f']);
    fc.assert(
      fc.property(list, list, (a, b) => {
        const value = rankBiasedOverlap(a, b);
        expect(value).toBeCloseTo(rankBiasedOverlap(b, a), 12);
        expect(value).toBeGreaterThanOrEqual(-1e-12);
        expect(value).toBeLessThanOrEqual(1 + 1e-12);
        expect(rankBiasedOverlap(a, a)).toBeCloseTo(1, 12);
      }),
    );
  });

  test('a prefix agrees fully', () => {
    expect(rankBiasedOverlap(['a', 'b', 'c', 'd'], ['a', 'b'])).toBeCloseTo(1, 12);
    expect(rankBiasedOverlap(['a'], [])).toBe(0);
  });
});
