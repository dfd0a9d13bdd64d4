import { expect, test } from 'vitest';
import { Random } from '../engine/random.js';
import { CandidateTable } from './candidates/candidate-table.js';
import { mine } from './mine.js';
import { positivesOf, smallTable } from './negatives.fixture.js';
import { RandomSource } from './random.js';
import { maxScore } from './rules/max-score.js';
import { type Conformance, samplerConformance } from './sampler.conformance.js';
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

test('balanced: every range of scores is as likely, however many documents it has', async () => {
  const ids = Array.from({ length: 11 }, (_, i) => i);
  const table = await tableOf(ids, [100, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  const source = new TableSource({ table, sampling: 'balanced' });
  const draws = Array.from({ length: 400 }, (_, i) => source.sample(0, Random.from(i, 'balanced'), 1)[0]);
  const first = draws.filter(({ document }) => document === 0).length;
  expect(first).toBeGreaterThan(160);
  expect(first).toBeLessThan(240);
  expect(
    source
      .sample(0, Random.from(1), 20)
      .map(({ document }) => document)
      .sort((a, b) => a - b),
  ).toEqual(ids);
});

test.each([
  ['the same', [2, 2, 2]],
  ['missing', [Number.NaN, Number.NaN, Number.NaN]],
])('balanced where scores are %s draws all alike', async (_, scores) => {
  const source = new TableSource({ table: await tableOf([4, 5, 6], scores), sampling: 'balanced' });
  const drawn = Array.from(
    { length: 300 },
    (_, i) => source.sample(0, Random.from(i, 'alike'), 1)[0].document,
  );
  for (const document of [4, 5, 6]) {
    expect(drawn.filter((other) => other === document).length).toBeGreaterThan(60);
  }
});

async function tableOf(ids: number[], scores: number[]): Promise<CandidateTable> {
  const lists = [{ query: 0, ids: Int32Array.from(ids), scores: Float32Array.from(scores) }];
  const options = {
    source: 'static',
    queryCount: 1,
    documentCount: 100,
    depth: 20,
    positives: () => new Int32Array(),
  };
  return (await mine({ ...options, lists })).table;
}

test('max-score drops what a teacher holds for relevant, and what it has not scored', async () => {
  const lists = [{ query: 0, ids: Int32Array.of(1, 2, 3), scores: Float32Array.of(0.5, -3, Number.NaN) }];
  const { table, report } = await mine({
    source: 'static',
    queryCount: 1,
    documentCount: 100,
    depth: 20,
    positives: () => new Int32Array(),
    rules: [maxScore(-2)],
    lists,
  });
  expect([...table.row(0).ids]).toEqual([2]);
  expect(report.removed).toMatchObject({ 'max-score': 2 });
});
