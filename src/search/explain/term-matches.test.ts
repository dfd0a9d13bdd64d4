import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCollection } from '../../../test/web/collection.js';
import { formatPart } from '../../cli/commands/search/format-hits.js';
import { loadEncoderModel } from '../../model/encoder/encoder-model.js';
import { saveEncoderModel } from '../../model/encoder/save-encoder.js';
import { fitMlmHead } from '../../model/mlm/fit-mlm-head.js';
import { withSearcher } from './searcher.fixture.js';
import { termMatches } from './term-matches.js';

const QUERY = 'tired people lack iron iron';
const READ = ['tired', 'people', 'lack', 'iron'];

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-terms-'));
  await writeCollection(join(root, 'data'));
  for (const pooling of ['token-weights', 'vocabulary']) {
    const model = await loadEncoderModel('minilm', { layers: 1, maxLength: 48, head: { pooling } });
    if (pooling === 'vocabulary') await fitMlmHead(model);
    await saveEncoderModel(join(root, pooling), model, { onnx: false });
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);

test('shared terms alone, those that gave most first, marked where a text was expanded with them', () => {
  const names = ['near', 'miss', 'hit', 'far'];
  const [first, second] = termMatches(
    { rows: Float32Array.of(0, 1, 1, 2, 2, 0.5, 0, 1), read: { tokens: ['near', 'miss', 'near'] } },
    {
      // The greatest weight of a document's term counts, what is not above 0 does not.
      rows: {
        vectors: Float32Array.of(0, 1, 0, 3, 2, 4, 3, 9, 1, -1, 3, 0),
        offsets: Uint32Array.of(0, 5, 6),
      },
      read: [{ tokens: ['near', 'far'] }, { tokens: [] }],
    },
    (term) => names[term],
  );
  expect(first).toEqual([
    { term: 'near', score: 6, query: 2, document: 3 },
    { term: 'hit', score: 2, query: 0.5, document: 4, notIn: ['query', 'document'] },
  ]);
  expect(second).toEqual([]);
});

test('of a model that nobody taught to be sparse the terms that gave most', () => {
  const rows = Float32Array.from({ length: 60_000 }, (_, i) => (i % 2 === 0 ? i / 2 : 1 + i / 60_000));
  const [terms] = termMatches(
    { rows, read: { tokens: [] } },
    { rows: { vectors: rows, offsets: Uint32Array.of(0, 30_000) }, read: [{ tokens: [] }] },
    String,
  );
  expect(terms.map(({ term }) => Number(term))).toEqual(Array.from({ length: 100 }, (_, i) => 29_999 - i));
});

test.each([false, true])('uniCOIL: the terms of both texts add up to the score (workers: %s)', (inWorkers) =>
  withSearcher(
    root,
    { model: join(root, 'token-weights'), modes: ['dense'], inWorkers },
    async (searcher) => {
      const hits = await searcher.search(QUERY, { mode: 'dense', k: 3, explain: true });
      expect(hits.length).toBeGreaterThan(0);
      for (const { score, parts } of hits) {
        const [{ name, terms, matches }] = parts!;
        expect(name).toBe('dense');
        expect(matches).toBeUndefined();
        for (const { term, score: gave, query, document, notIn } of terms!) {
          expect(READ).toContain(term);
          expect(gave).toBeCloseTo(query! * document!, 6);
          expect(notIn).toBeUndefined();
        }
        // The index keeps whole hundredths.
        expect(Math.abs(sum(terms!.map((term) => term.score)) - score)).toBeLessThan(0.05);
      }
    },
  ),
);

test('SPLADE: words that a text does not have are marked, on the command line by a +', () =>
  withSearcher(root, { model: join(root, 'vocabulary'), modes: ['dense'] }, async (searcher) => {
    const hits = await searcher.search(QUERY, { mode: 'dense', k: 5, explain: true });
    const all = hits.flatMap(({ parts }) => parts![0].terms!);
    for (const { term, notIn = [] } of all)
      expect(notIn.includes('query')).toBe(![...READ, '[CLS]', '[SEP]'].includes(term));
    expect(all.some(({ notIn }) => notIn?.includes('document'))).toBe(true);
    for (const { score, parts } of hits) {
      const scores = parts![0].terms!.map((term) => term.score);
      expect(Math.abs(sum(scores) / score - 1)).toBeLessThan(0.02);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    }
    expect(formatPart(hits[0].parts![0])).toMatch(
      /^dense \d+\.\d{4} \(rank 1\): \S+ \d+\.\d\d \(\+?\d+\.\d\d × \+?/,
    );
    expect(hits.map(({ parts }) => formatPart(parts![0])).join()).toMatch(/\+\d+\.\d\d/);
  }));

test('a model of terms that reranks explains its own part', () =>
  withSearcher(root, { reranker: join(root, 'vocabulary'), modes: ['bm25', 'cascade'] }, async (searcher) => {
    const [{ score, parts }] = await searcher.search(QUERY, { mode: 'cascade', k: 2, explain: true });
    const { terms } = parts!.find(({ name }) => name === 'late')!;
    expect(sum(terms!.map((term) => term.score)) / score).toBeCloseTo(1, 4);
  }));
