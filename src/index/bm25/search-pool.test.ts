import { expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { Bm25Ranker, Bm25Searcher, Bm25SearchPool, expandRm3 } from './index.js';
import { numbered, withIndex } from './reference.fixture.js';

const random = Random.from(3, 'pool test');
const words = (count: number): string =>
  Array.from({ length: count }, () => `w${random.integer(40)}`).join(' ');
const documents = numbered(Array.from({ length: 500 }, () => words(20)));
const texts = Array.from({ length: 150 }, () => words(3));

test('several threads find what one finds, in the order of the queries', async () => {
  await withIndex(documents, { vectors: true }, async (index) => {
    const ranker = new Bm25Ranker(index);
    const pool = new Bm25SearchPool(index, { threads: 3 });
    try {
      for (const options of [
        { k: 10 },
        { k: 5, scoring: { k1: 2, b: 0.1 } },
        { k: 5, rm3: { feedbackTerms: 3 } },
      ]) {
        let done = 0;
        const found = await pool.search(texts, { ...options, onDone: (n) => (done += n) });
        expect(found).toEqual(texts.map((text) => ranker.rank(text, options)));
        expect(done).toBe(texts.length);
      }
    } finally {
      await pool.close();
    }
  });
});

test('a mistake in a thread comes back as the error it is', async () => {
  await withIndex(documents, {}, async (index) => {
    const pool = new Bm25SearchPool(index, { threads: 2 });
    try {
      await expect(pool.search(texts, { k: 3, rm3: {} })).rejects.toMatchObject({
        name: 'NearmissError',
        message: 'this index holds no term vectors, which RM3 needs',
        hint: expect.stringContaining('--vectors'),
      });
      expect(await pool.search(texts.slice(0, 1), { k: 3 })).toHaveLength(1);
    } finally {
      await pool.close();
    }
  });
});

test('RM3 mixes the query with the strongest terms of the best documents', async () => {
  // Padding keeps the words that matter below a tenth of the documents.
  const padding = Array.from({ length: 60 }, (_, i) => `filler${i} other${i}`);
  const collection = numbered(['cat purr purr whisker', 'cat purr', 'dog bark', ...padding]);
  await withIndex(collection, { language: 'unicode', vectors: true }, (index) => {
    const searcher = new Bm25Searcher(index);
    const query = expandRm3(searcher, 'cat', { feedbackDocuments: 2, feedbackTerms: 2, originalWeight: 0.6 });
    expect([...query.keys()]).toEqual(['cat', 'purr']);
    // Document models of two terms: {cat 1/3, purr 2/3} and {cat 1/2, purr 1/2}, weighted by the scores.
    const { scores } = searcher.search('cat', 2);
    const cat = (scores[0] / 2 + scores[1] / 3) / (scores[0] + scores[1]);
    expect(query.get('cat')).toBeCloseTo(0.6 + 0.4 * cat, 10);
    expect(query.get('purr')).toBeCloseTo(0.4 * (1 - cat), 10);
    expect(expandRm3(searcher, 'unknown').get('unknown')).toBe(0.5);
  });
});
