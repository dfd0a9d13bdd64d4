import { describe, expect, test } from 'vitest';
import { Random } from '../engine/random.js';
import { CandidateTable } from './candidates.js';
import { Mixture } from './mixture.js';
import { positivesOf, smallTable } from './negatives.fixture.js';
import { RandomSource } from './random.js';
import { type Conformance, samplerConformance } from './sampler.conformance.js';
import type { Negative } from './sampler.js';
import { TableSource } from './table-source.js';

const DOCUMENTS = 12;
const KNOWN = { 0: [3, 4], 1: [0, 11], 2: [] };
const RANKINGS = { 0: [5, 3, 1, 9, 4, 2], 1: [0, 11, 7], 2: [] };
const positives = positivesOf(KNOWN);
const queries = [0, 1, 2];

const bm25Table = await smallTable(RANKINGS, { positives: KNOWN });
const annTable = await smallTable(RANKINGS, { positives: KNOWN, checkpoint: 300 });

/** Places in the ranking that are left, from 1. */
function ranksOf(query: number): Map<number, number> {
  const ranking: number[] = RANKINGS[query as 0 | 1 | 2];
  return new Map(
    ranking.map((document, i) => [document, i + 1] as const).filter(([id]) => !positives(query).includes(id)),
  );
}

function normalised(weights: Map<number, number>): Map<number, number> {
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  return new Map([...weights].map(([document, weight]) => [document, weight / total]));
}

const uniform = (query: number): Map<number, number> =>
  normalised(new Map([...ranksOf(query)].map(([document]) => [document, 1])));

const anywhere = (query: number): Map<number, number> => {
  const others = Array.from({ length: DOCUMENTS }, (_, i) => i).filter((i) => !positives(query).includes(i));
  return normalised(new Map(others.map((document) => [document, 1])));
};

function fromRanking(checkpoint?: number): Conformance['provenance'] {
  return ({ document, rank, score, ...rest }, query) => {
    expect(rank).toBe(ranksOf(query).get(document));
    expect(score).toBe(11 - rank!);
    expect(rest.checkpoint).toBe(checkpoint);
  };
}

samplerConformance({
  name: 'random',
  source: new RandomSource({ documentCount: DOCUMENTS, positives }),
  positives,
  queries,
  chances: anywhere,
  provenance: ({ source }) => expect(source).toBe('random'),
});

samplerConformance({
  name: 'bm25, uniform',
  source: new TableSource({ table: bm25Table }),
  positives,
  queries,
  chances: uniform,
  provenance: fromRanking(),
});

samplerConformance({
  name: 'ann, weighted by rank',
  source: new TableSource({ table: annTable, sampling: 'weighted' }),
  positives,
  queries,
  chances: (query) =>
    normalised(new Map([...ranksOf(query)].map(([document, rank]) => [document, 1 / rank]))),
  provenance: fromRanking(300),
});

samplerConformance({
  name: 'ann, not deeper than rank 3',
  source: new TableSource({ table: annTable, depth: 3 }),
  positives,
  queries,
  chances: (query) =>
    normalised(
      new Map([...ranksOf(query)].filter(([, rank]) => rank <= 3).map(([document]) => [document, 1])),
    ),
  provenance: fromRanking(300),
});

samplerConformance({
  name: 'mixture of two halves of the collection, 3:1',
  source: new Mixture([
    { source: halfOf(0), weight: 3 },
    { source: halfOf(1), weight: 1 },
  ]),
  positives,
  queries,
  chances: (query, count) => {
    const others = [...anywhere(query).keys()];
    const half = (parity: number): number[] => others.filter((document) => document % 2 === parity);
    if (count > 1) return anywhere(query);
    return new Map([
      ...half(0).map((document) => [document, 3 / 4 / half(0).length] as const),
      ...half(1).map((document) => [document, 1 / 4 / half(1).length] as const),
    ]);
  },
  provenance: ({ document, source }) => expect(source).toBe(`half-${document % 2}`),
});

/** Random documents whose number is even (0) or odd (1). */
function halfOf(parity: number) {
  const all = new RandomSource({ documentCount: DOCUMENTS, positives });
  return {
    name: `half-${parity}`,
    sample: (query: number, random: Random, count: number): Negative[] =>
      all
        .sample(query, random, DOCUMENTS)
        .filter(({ document }) => document % 2 === parity)
        .slice(0, count)
        .map((negative) => ({ ...negative, source: `half-${parity}` })),
  };
}

describe('mixture', () => {
  const bm25 = new TableSource({ table: bm25Table });
  const random = new RandomSource({ documentCount: DOCUMENTS, positives });
  const draw = (mixture: Mixture, count: number, step: number): Negative[] =>
    mixture.sample(0, Random.from(1, 'negatives', step), count);
  const bySource = (drawn: Negative[], name: string): number =>
    drawn.filter(({ source }) => source === name).length;

  test('with counts as weights, each source gives its count', () => {
    const mixture = new Mixture([
      { source: bm25, weight: 1 },
      { source: random, weight: 2 },
    ]);
    for (let step = 0; step < 200; step++) {
      const drawn = draw(mixture, 3, step);
      expect([bySource(drawn, 'bm25'), bySource(drawn, 'random')]).toEqual([1, 2]);
      expect(new Set(drawn.map(({ document }) => document)).size).toBe(3);
    }
  });

  test('shares are right on average where they are no whole numbers', () => {
    const mixture = new Mixture([
      { source: bm25, weight: 1 },
      { source: random, weight: 1 },
    ]);
    const shares = Array.from({ length: 4000 }, (_, step) => bySource(draw(mixture, 3, step), 'bm25'));
    expect(new Set(shares)).toEqual(new Set([1, 2]));
    expect(shares.reduce((sum, n) => sum + n, 0) / shares.length).toBeCloseTo(1.5, 1);
    expect(mixture.name).toBe('bm25+random');
  });

  test('where a source runs out, the others fill its place', () => {
    const mixture = new Mixture([
      { source: bm25, weight: 1 },
      { source: random, weight: 1 },
    ]);
    const drawn = mixture.sample(2, Random.from(5), 4);
    expect(drawn.map(({ source }) => source)).toEqual(['random', 'random', 'random', 'random']);
  });

  test('weights must make sense', () => {
    expect(() => new Mixture([{ source: bm25, weight: 0 }])).toThrow('expected weights from 0, not all 0');
    expect(() => new Mixture([{ source: bm25, weight: Number.NaN }])).toThrow('got NaN');
  });
});

test('weighted sampling draws the second from what the first left over', () => {
  const source = new TableSource({ table: annTable, sampling: 'weighted' });
  // Ranks 1, 3, 4, 6 of documents 5, 1, 9, 2 remain for query 0.
  const weight = new Map([
    [5, 1],
    [1, 1 / 3],
    [9, 1 / 4],
    [2, 1 / 6],
  ]);
  const total = [...weight.values()].reduce((sum, w) => sum + w, 0);
  const expected = (1 / total) * (weight.get(1)! / (total - 1));
  const draws = 40_000;
  let hits = 0;
  for (let step = 0; step < draws; step++) {
    const [first, second] = source.sample(0, Random.from(9, step), 2);
    if (first.document === 5 && second.document === 1) hits++;
  }
  expect(Math.abs(hits / draws - expected)).toBeLessThan(5 * Math.sqrt((expected * (1 - expected)) / draws));
});

test('a source without scores gives negatives without scores', () => {
  const data = CandidateTable.allocate(1, 2);
  data.ids[0] = 7;
  data.ranks[0] = 1;
  data.scores[0] = Number.NaN;
  const table = new CandidateTable({ ...data, provenance: bm25Table.provenance });
  expect(new TableSource({ table, name: 'static' }).sample(0, Random.from(1), 4)).toEqual([
    { document: 7, source: 'static', rank: 1 },
  ]);
});
