import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  codesBuildCoreSeconds,
  codesQueriesPerSecond,
  encodeTokensPerSecond,
  flatQueriesPerSecond,
  hnswBuildCoreSeconds,
  hnswQueriesPerSecond,
} from './cost-curves.js';
import { planScale, type ScaleQuestion } from './plan-scale.js';

const QUESTION: ScaleQuestion = {
  documents: 1e6,
  tokens: 128,
  dimension: 128,
  layers: 6,
  hiddenSize: 384,
  precision: 'fp32',
  workers: 1,
  cores: 2,
  memoryGb: 16,
  index: 'flat',
  storage: 'f32',
  queriesPerSecond: 10,
  replicas: 1,
  refreshes: 0,
  price: 0.04,
};

/** Measured points that the curves do not know, each the largest of its kind that ran (docs/scaling.md). */
describe('within a quarter of what was measured', () => {
  test.each([
    [
      'texts of 237 tokens, fp32',
      encodeTokensPerSecond('fp32', { layers: 6, hiddenSize: 384, tokens: 237 }),
      9_077,
    ],
    [
      'texts of 237 tokens, int8',
      encodeTokensPerSecond('int8', { layers: 6, hiddenSize: 384, tokens: 237 }),
      19_725,
    ],
    [
      'texts of 64 tokens, fp32',
      encodeTokensPerSecond('fp32', { layers: 6, hiddenSize: 384, tokens: 64 }),
      10_344,
    ],
    [
      'codes of a million by 8 bits, queries of a core',
      codesQueriesPerSecond('int8', 1e6, 64, 40),
      1000 / 0.39,
    ],
    [
      'codes of a million by 1 bit, queries of a core',
      codesQueriesPerSecond('binary', 1e6, 64, 40),
      1000 / 1.22,
    ],
    ['codes of a million by 8 bits, 111 lists', codesQueriesPerSecond('int8', 1e6, 64), 1000 / 0.8],
    ['codes of a million, core seconds to build', codesBuildCoreSeconds(1e6, 64), 5.8],
    ['codes of ten million by 8 bits, 136 lists', codesQueriesPerSecond('int8', 1e7, 64, 136), 1000 / 1.91],
    ['codes of ten million by 8 bits, 418 lists', codesQueriesPerSecond('int8', 1e7, 64), 1000 / 5.12],
    ['codes of ten million, core seconds to build', codesBuildCoreSeconds(1e7, 64), 95.62],
    ['exact search of a million', 2 * flatQueriesPerSecond(1e6, 128), 368],
    [
      'another collection of 4,000',
      encodeTokensPerSecond('fp32', { layers: 6, hiddenSize: 384, tokens: 128 }),
      9_969,
    ],
  ])('%s', (_, planned, measured) => {
    expect(Math.abs(planned / measured - 1)).toBeLessThan(0.25);
  });

  test('curves go through their own points', () => {
    expect(hnswBuildCoreSeconds(1e6, 128)).toBeCloseTo(688);
    expect(hnswBuildCoreSeconds(1e4, 128)).toBeCloseTo(4.8);
    expect(2 * hnswQueriesPerSecond(1e5, 128)).toBeCloseTo(3_907);
    expect(2 * flatQueriesPerSecond(1e4, 128)).toBeCloseTo(7_673);
    expect(2 * flatQueriesPerSecond(1e5, 128)).toBeCloseTo(3_599);
  });
});

test('more documents never cost less, more workers never take longer', () => {
  const documents = fc.integer({ min: 1, max: 2_000_000_000 });
  fc.assert(
    fc.property(documents, documents, fc.constantFrom('flat' as const, 'hnsw' as const), (a, b, index) => {
      const [few, many] = [a, b].sort((x, y) => x - y);
      const [less, more] = [few, many].map((documents) => planScale({ ...QUESTION, index, documents }));
      expect(more.encode.hours).toBeGreaterThanOrEqual(less.encode.hours);
      expect(more.index.shards).toBeGreaterThanOrEqual(less.index.shards);
      expect(more.diskGb).toBeGreaterThanOrEqual(less.diskGb);
      const helped = planScale({ ...QUESTION, index, documents: many, workers: 7 });
      expect(helped.encode.hours).toBeCloseTo(more.encode.hours / 7);
    }),
  );
});

test('shards fit into their machines, and copies answer what was asked', () => {
  const answer = planScale({ ...QUESTION, documents: 1e8, index: 'hnsw', queriesPerSecond: 5_000 });
  expect(answer.index.gigabytes / answer.index.shards).toBeLessThanOrEqual(16 * 0.6);
  expect(answer.search.queriesPerSecond).toBeGreaterThanOrEqual(5_000);
  expect(answer.limits.join('\n')).toContain('extrapolated');
  expect(planScale({ ...QUESTION, documents: 8e9 }).limits[0]).toContain('32 bits');
});
