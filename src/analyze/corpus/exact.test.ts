import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunDirectory } from '../../run/run-directory.js';
import { trainTinyRun, writeTinyData } from '../tiny-run.fixture.js';
import { bestRows } from './best-rows.js';
import { BruteForce } from './brute-force.fixture.js';
import { type DrawnNegatives, drawNegatives } from './draw-negatives.js';
import { longTail } from './long-tail.js';
import { type OpenCheckpoint, openCheckpoint } from './open-checkpoint.js';
import { negativesOverlap } from './overlap.js';
import { logRanks, type RankedSample, rankSample } from './rank-sample.js';
import { type SampledQuery, sampleQueries } from './sample.js';

const DEPTH = 100;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-exact-'));
  await writeTinyData(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  { name: 'flat', set: [] },
  { name: 'hnsw', set: ['refresh.index.type=hnsw'] },
])('against brute force, with the index $name', ({ name, set }) => {
  let run: RunDirectory;
  let checkpoint: OpenCheckpoint;
  let brute: BruteForce;
  let queries: SampledQuery[];
  let ranked: RankedSample[];
  let drawn: DrawnNegatives[];
  const idOf = ({ training }: SampledQuery): string =>
    checkpoint.data.queries.cache.id(checkpoint.data.training[training].query);

  beforeAll(async () => {
    run = await trainTinyRun(folder, name, set);
    checkpoint = await openCheckpoint({ run, session: { threads: 1 }, quiet: true });
    brute = await BruteForce.of(run, checkpoint.step);
    queries = await sampleQueries(checkpoint, 25);
    ranked = await rankSample(checkpoint.corpus, queries, { depth: DEPTH });
    drawn = await drawNegatives(checkpoint, queries, ranked);
  });
  afterAll(() => checkpoint.close());

  test('the overlap with the true top', () => {
    const { sources } = negativesOverlap({ drawn, ranked, depth: 20, documents: checkpoint.corpus.count });
    for (const [s, { source, documents }] of drawn.entries()) {
      for (const [c, cutoff] of [20, DEPTH].entries()) {
        let inside = 0;
        let all = 0;
        queries.forEach((query, i) => {
          const top = brute.top(idOf(query), cutoff, (document) => !query.positives.includes(document));
          for (const document of documents[i]) {
            all++;
            if (top.has(document)) inside++;
          }
        });
        if (all === 0) continue;
        expect(sources[s], source).toMatchObject({ source, negatives: all });
        expect(sources[s].shares[c], `${source} in top ${cutoff}`).toBeCloseTo(inside / all, 2);
      }
    }
    expect(sources.map(({ source }) => source)).toEqual(
      expect.arrayContaining(['random', 'in-batch', 'ann step 20']),
    );
  });

  test('the long tail, and the ranks of positives', () => {
    const documents = checkpoint.corpus.count;
    const tail = longTail(ranked, documents);
    const curves = queries.map((query) => {
      const scores = brute.scores(idOf(query));
      const average = scores.reduce((sum, score) => sum + score, 0) / documents;
      const own = scores[query.positive];
      const sorted = scores.map((score) => score - average).sort((a, b) => b - a);
      return {
        sorted,
        positive: own - average,
        rank: 1 + scores.filter((score) => score > own + 1e-6).length,
      };
    });
    logRanks(documents).forEach((rank, i) => {
      const expected = curves.reduce((sum, { sorted }) => sum + sorted[rank - 1], 0) / curves.length;
      expect(tail.mean[i]).toBeCloseTo(expected, 4);
    });
    const score = curves.reduce((sum, { positive }) => sum + positive, 0) / curves.length;
    expect(tail.positive.score).toBeCloseTo(score, 4);
    expect(tail.positive.first).toBeCloseTo(
      curves.filter(({ rank }) => rank === 1).length / curves.length,
      5,
    );
    expect(tail.ranks.at(0)).toBe(1);
    expect(tail.ranks.at(-1)).toBe(documents);
  });

  test('the vectors that gradients are computed from', async () => {
    const vectorFor = await bestRows(checkpoint.corpus, queries, drawn);
    for (const [i, { positive, vector }] of queries.entries()) {
      const stored = vectorFor(i, positive);
      stored.forEach((value, component) => {
        expect(value).toBeCloseTo(brute.vectors[positive][component], 4);
      });
      const query = brute.queries.get(idOf(queries[i]))!;
      vector.forEach((value, component) => {
        expect(value).toBeCloseTo(query[component], 4);
      });
    }
  });

  test('no source draws a known positive', () => {
    for (const { documents } of drawn) {
      documents.forEach((list, i) => {
        for (const document of list) expect(queries[i].positives).not.toContain(document);
      });
    }
  });
});

test('with pieces (MaxP) a document counts by the piece that is best for the query', async () => {
  const run = await trainTinyRun(folder, 'pieces', [
    'model.passages.mode=max',
    'model.passages.pieces=3',
    'model.maxLength.document=3',
    'stages.ance.steps=10',
  ]);
  const checkpoint = await openCheckpoint({ run, session: { threads: 1 }, quiet: true });
  try {
    const queries = await sampleQueries(checkpoint, 10);
    const ranked = await rankSample(checkpoint.corpus, queries, { depth: DEPTH });
    const drawn = await drawNegatives(checkpoint, queries, ranked);
    const vectorFor = await bestRows(checkpoint.corpus, queries, drawn);
    const { offsets } = await checkpoint.corpus.vectorsOf(
      Array.from({ length: checkpoint.corpus.count }, (_, i) => i),
    );
    expect(checkpoint.corpus.count).toBe(196);
    expect(offsets.at(-1)).toBeGreaterThan(196);
    for (const [i, { positive, vector }] of queries.entries()) {
      const score = vectorFor(i, positive).reduce((sum, value, c) => sum + value * vector[c], 0);
      expect(score).toBeCloseTo(ranked[i].positiveScore, 4);
    }
  } finally {
    await checkpoint.close();
  }
});

test('ranks on a logarithmic axis begin at 1, end at the last and never repeat', () => {
  for (const count of [1, 2, 9, 196, 100_000]) {
    const ranks = logRanks(count);
    expect(ranks[0]).toBe(1);
    expect(ranks.at(-1)).toBe(count);
    expect(ranks.every((rank, i) => i === 0 || rank > ranks[i - 1])).toBe(true);
  }
});
