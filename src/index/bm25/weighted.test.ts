import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { buildWeightedIndex, type WeightedDocument } from './build.js';
import { openBm25Index } from './open.js';
import { Bm25Searcher } from './searcher.js';
import { bm25, impacts, MAX_IMPACT } from './similarity.js';

let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-weighted-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function indexed(documents: WeightedDocument[], options = {}) {
  const path = join(folder, String(made++));
  await buildWeightedIndex(path, documents, options);
  return openBm25Index(path);
}

/** Documents with as many of 40 terms as learned sparse vectors have of theirs. */
function randomDocuments(count: number, seed: number): WeightedDocument[] {
  const random = Random.from(seed, 'weights');
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i}`,
    weights: new Map(
      Array.from({ length: random.integer(12) }, () => [`##t${random.integer(40)}`, random.uniform() * 3]),
    ),
  }));
}

function byHand(documents: WeightedDocument[], query: Map<string, number>, k: number) {
  return documents
    .map(({ weights }, document) => {
      let score = 0;
      for (const [term, weight] of query) score += weight * Math.round((weights.get(term) ?? 0) * 100);
      return { document, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.document - b.document)
    .slice(0, k);
}

test('scores are sums of products, and pruned search equals exhaustive search and brute force', async () => {
  const documents = randomDocuments(1500, 3);
  const index = await indexed(documents);
  const pruned = new Bm25Searcher(index, { similarity: impacts() });
  const exhaustive = new Bm25Searcher(index, { similarity: impacts(), prune: false });
  // Halves and quarters are exact, so that brute force has the same sums.
  const weight = fc.integer({ min: 1, max: 40 }).map((quarters) => quarters / 4);
  const query = fc
    .array(
      fc.tuple(
        fc.integer({ min: 0, max: 45 }).map((term) => `##t${term}`),
        weight,
      ),
      { maxLength: 12 },
    )
    .map((terms) => new Map(terms));
  fc.assert(
    fc.property(query, fc.integer({ min: 1, max: 30 }), (terms, k) => {
      const found = pruned.searchTerms(terms, k);
      expect(found).toEqual(exhaustive.searchTerms(terms, k));
      const expected = byHand(documents, terms, k);
      expect([...found.ids]).toEqual(expected.map(({ document }) => document));
      expect([...found.scores]).toEqual(expected.map(({ score }) => score));
    }),
    { numRuns: 200, seed: 5 },
  );
});

test('to BM25 weights are term frequencies, and their sum is the length', async () => {
  const index = await indexed(
    [
      {
        id: 'a',
        weights: new Map([
          ['x', 3],
          ['y', 1],
        ]),
      },
      {
        id: 'b',
        weights: new Map([
          ['x', 1],
          ['y', 3],
          ['gone', 0.2],
          ['less', -1],
        ]),
      },
    ],
    { scale: 1 },
  );
  expect(index.meta).toMatchObject({ documents: 2, terms: 2, totalLength: 8 });
  const { ids } = new Bm25Searcher(index, { similarity: bm25() }).searchTerms(new Map([['y', 1]]), 2);
  expect([...ids]).toEqual([1, 0]);
});

test('sums stay exact at the largest weights, and larger ones are refused', async () => {
  const index = await indexed(
    [
      {
        id: 'a',
        weights: new Map([
          ['x', MAX_IMPACT],
          ['y', 1],
        ]),
      },
      { id: 'b', weights: new Map([['x', MAX_IMPACT]]) },
    ],
    { scale: 1 },
  );
  const { ids, scores } = new Bm25Searcher(index, { similarity: impacts() }).searchTerms(
    new Map([
      ['x', 1],
      ['y', 1],
    ]),
    2,
  );
  expect([[...ids], [...scores]]).toEqual([
    [0, 1],
    [MAX_IMPACT + 1, MAX_IMPACT],
  ]);
  for (const weight of [700, Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(indexed([{ id: 'a', weights: new Map([['x', weight]]) }])).rejects.toThrow(
      'document "a", term "x": expected a weight of at most 655.35',
    );
  }
});
