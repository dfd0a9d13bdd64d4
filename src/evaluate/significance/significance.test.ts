import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correct } from './correction.js';
import { incompleteBeta, logGamma } from './incomplete-beta.js';
import { pairedTTest, studentTwoSided } from './paired-t-test.js';
import { randomizationTest } from './randomization-test.js';

const a = Float64Array.of(0.61, 0.33, 0.87, 0.1, 0.55, 0.72, 0.4, 0.95);
const b = Float64Array.of(0.52, 0.3, 0.91, 0.0, 0.35, 0.7, 0.45, 0.8);

describe('the incomplete beta function', () => {
  // Reference values: mpmath with 30 digits.
  test.each([
    [0.5, 2, 3, 0.6875],
    [0.1, 0.5, 0.5, 0.20483276469913345],
    [0.9, 10, 0.5, 0.15164090963470991],
    [0.3, 50, 60, 0.000343411518766289],
  ])('I_%d(%d, %d)', (x, p, q, expected) => {
    expect(Math.abs(incompleteBeta(x, p, q) / expected - 1)).toBeLessThan(1e-12);
  });

  test('its symmetry and its closed form for a = 1', () => {
    const shape = fc.double({ min: 0.1, max: 500, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1024 }), shape, shape, (parts, p, q) => {
        const x = parts / 1024;
        expect(incompleteBeta(x, p, q)).toBeCloseTo(1 - incompleteBeta(1 - x, q, p), 10);
        expect(incompleteBeta(x, 1, q)).toBeCloseTo(1 - (1 - x) ** q, 10);
      }),
    );
  });

  test('log Γ at whole and half numbers', () => {
    expect(logGamma(11)).toBeCloseTo(Math.log(3628800), 12);
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12);
    expect(logGamma(0.25)).toBeCloseTo(Math.log(3.625609908221908), 12);
  });
});

describe("Student's t", () => {
  // Reference values: mpmath with 30 digits.
  test.each([
    [1, 1, 0.5],
    [2, 20, 0.05926553544657047],
    [5.5, 42, 0.000002073125991669543],
    [-0.1, 3, 0.9266523488008058],
    [30, 100, 8.380332558688292e-52],
    [2.5, 1e5, 0.012420919192559046],
  ])('t %d with %d degrees of freedom', (t, freedom, expected) => {
    expect(Math.abs(studentTwoSided(t, freedom) / expected - 1)).toBeLessThan(1e-9);
  });

  test('a paired test as scipy.stats.ttest_rel computes it', () => {
    const result = pairedTTest(a, b);
    expect(result.degreesOfFreedom).toBe(7);
    expect(result.t).toBeCloseTo(1.998858121517, 9);
    expect(result.p).toBeCloseTo(0.08576363413, 9);
    expect(pairedTTest(b, a)).toEqual({ ...result, t: -result.t });
  });

  test('no difference, and a difference that never varies', () => {
    expect(pairedTTest(a, a)).toEqual({ t: 0, degreesOfFreedom: 7, p: 1 });
    expect(pairedTTest(Float64Array.of(1, 1, 1), Float64Array.of(0, 0, 0)).p).toBe(0);
    expect(pairedTTest(Float64Array.of(1), Float64Array.of(0)).p).toBe(1);
  });
});

describe("Fisher's randomisation test", () => {
  test('few queries: every exchange is counted', () => {
    expect(randomizationTest(Float64Array.of(1, 1, 1), new Float64Array(3))).toBe(2 / 8);
    expect(randomizationTest(a, b)).toBe(26 / 256);
    expect(randomizationTest(a, a)).toBe(1);
  });

  test('many draws come near the exact value, and the seed decides them', () => {
    const drawn = (seed: number): number => randomizationTest(a, b, { permutations: 200, seed });
    expect(drawn(1)).toBe(drawn(1));
    expect(new Set([1, 2, 3, 4].map(drawn)).size).toBeGreaterThan(1);
    const many = Float64Array.from({ length: 60 }, (_, i) => Math.sin(i * 7.3));
    const shifted = many.map((value, i) => value + 0.12 + 0.5 * Math.cos(i * 3.1));
    const { p } = pairedTTest(many, shifted);
    expect(p).toBeGreaterThan(0.001);
    expect(Math.abs(randomizationTest(many, shifted, { permutations: 20_000 }) - p)).toBeLessThan(0.01);
  });

  test('never 0', () => {
    const ones = new Float64Array(100).fill(1);
    expect(randomizationTest(ones, new Float64Array(100), { permutations: 999 })).toBe(1 / 1000);
  });
});

describe('correction for several comparisons', () => {
  test('known values', () => {
    expect(correct([0.01, 0.04, 0.03], 'holm').map((p) => p.toFixed(4))).toEqual([
      '0.0300',
      '0.0600',
      '0.0600',
    ]);
    expect(correct([0.01, 0.4, 0.03], 'bonferroni').map((p) => p.toFixed(4))).toEqual([
      '0.0300',
      '1.0000',
      '0.0900',
    ]);
    expect(correct([0.2, 0.1], 'none')).toEqual([0.2, 0.1]);
  });

  test('raw ≤ Holm ≤ Bonferroni ≤ 1, and the order stays', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (raw) => {
        const holm = correct(raw, 'holm');
        const bonferroni = correct(raw, 'bonferroni');
        raw.forEach((p, i) => {
          expect(holm[i]).toBeGreaterThanOrEqual(p);
          expect(bonferroni[i]).toBeGreaterThanOrEqual(holm[i]);
          expect(bonferroni[i]).toBeLessThanOrEqual(1);
          for (let j = 0; j < raw.length; j++) if (raw[j] < p) expect(holm[j]).toBeLessThanOrEqual(holm[i]);
        });
      }),
    );
  });
});
