import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Query } from '../../data/dataset.js';
import { openDataset } from '../../data/open.js';
import { evaluate } from '../../evaluate/evaluate.js';
import type { Ranking } from '../../evaluate/run.js';
import type { Language } from '../../text/analyzers/index.js';
import type { Bm25Index } from './bm25-index.js';
import { Bm25Searcher, Bm25SearchPool, bm25, type RankOptions, tfIdf } from './index.js';
import { withIndex } from './reference.fixture.js';

const DATA = resolve(import.meta.dirname, '../../../../shared/data');

interface Collection {
  index: Bm25Index;
  queries: Query[];
  /** The measures' means over the split. */
  measure(measures: string[], options: RankOptions): Promise<Record<string, number>>;
}

/** Runs where the collection is on this machine; says that it is skipped elsewhere. */
function onCollection(
  name: string,
  split: string,
  title: string,
  check: (collection: Collection) => void | Promise<void>,
  language: Language = 'en',
): void {
  const path = resolve(DATA, name);
  const run = existsSync(path) ? test : test.skip;
  run(`${name}: ${title}${existsSync(path) ? '' : ' (skipped: ../shared/data is not here)'}`, async () => {
    const dataset = await openDataset(path);
    const queries: Query[] = [];
    for await (const query of dataset.queries(split)) queries.push(query);
    const qrels = await dataset.qrels(split);
    await withIndex(dataset.documents(), { language, vectors: true }, (index) =>
      check({
        index,
        queries,
        async measure(measures, options) {
          const pool = new Bm25SearchPool(index, { threads: 1 });
          const found = await pool.search(
            queries.map(({ text }) => text),
            options,
          );
          const rankings = new Map<string, Ranking>();
          found.forEach(({ ids, scores }, i) => {
            rankings.set(queries[i].id, { ids: Array.from(ids, (n) => index.documentId(n)), scores });
          });
          return evaluate({ tag: 'bm25', rankings }, qrels, measures, { complete: true }).mean;
        },
      }),
    );
  });
}

/** Bit for bit the same ids and scores. */
function expectSameAsExhaustive({ index, queries }: Collection, depths: number[]): void {
  for (const similarity of [bm25(), tfIdf()]) {
    const pruned = new Bm25Searcher(index, { similarity });
    const exhaustive = new Bm25Searcher(index, { similarity, prune: false });
    const different = queries.filter(({ text }) =>
      depths.some((k) => !isDeepStrictEqual(pruned.search(text, k), exhaustive.search(text, k))),
    );
    expect(different).toEqual([]);
  }
}

describe('quality', () => {
  onCollection(
    'scifact',
    'test',
    "Anserini's figures (nDCG@10 .6789, R@100 .9253, R@1000 .9767)",
    async ({ measure }) => {
      const mean = await measure(['nDCG@10', 'R@100', 'R@1000'], { k: 1000 });
      expect(mean['nDCG@10']).toBeCloseTo(0.6789, 3);
      expect(mean['R@100']).toBeCloseTo(0.9253, 3);
      expect(mean['R@1000']).toBeCloseTo(0.9767, 3);
    },
  );

  onCollection('cranfield', 'test', 'BM25 and RM3', async ({ measure }) => {
    const plain = await measure(['nDCG@10'], { k: 10 });
    expect(plain['nDCG@10']).toBeGreaterThan(0.34);
    const expanded = await measure(['nDCG@10'], { k: 10, rm3: {} });
    // Feedback helps on this collection, as the literature has it.
    expect(expanded['nDCG@10']).toBeGreaterThan(plain['nDCG@10']);
  });

  onCollection(
    'zh-cmrc-drcd',
    'test',
    'bigrams find Chinese passages',
    async ({ measure }) => expect((await measure(['RR@10'], { k: 10 }))['RR@10']).toBeGreaterThan(0.8),
    'cjk',
  );
});

describe('pruned search equals exhaustive search', () => {
  onCollection('scifact', 'test', 'every query', (collection) =>
    expectSameAsExhaustive(collection, [10, 1000]),
  );
  onCollection('medquad', 'dev', 'every query', (collection) => expectSameAsExhaustive(collection, [10]));
  onCollection('msmarco-mini', 'test', 'every query', (collection) =>
    expectSameAsExhaustive(collection, [1, 100]),
  );
  onCollection('cranfield', 'test', 'every query', (collection) =>
    expectSameAsExhaustive(collection, [10, 1000]),
  );
});
