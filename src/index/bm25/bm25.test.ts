import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { Bm25Searcher, bm25, buildBm25Index, openBm25Index, tfIdf } from './index.js';
import { numbered, referenceRanking, withIndex } from './reference.fixture.js';

/** Texts over few words, so that lists are long, ties common and some documents empty. */
function randomTexts(count: number, seed: number): string[] {
  const random = Random.from(seed, 'bm25 test');
  return Array.from({ length: count }, () => {
    const length = random.integer(30);
    // The square makes word 0 common and word 59 rare.
    return Array.from({ length }, () => `w${Math.floor(random.uniform() ** 2 * 60)}`).join(' ');
  });
}

const word = fc.nat(11).map((n) => `term${n}`);
const texts = fc.array(
  fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
  {
    minLength: 1,
    maxLength: 40,
  },
);

test('finds and scores what the formula says, on any small collection', async () => {
  const parameters = fc.record({
    k1: fc.double({ min: 0, max: 3, noNaN: true }),
    b: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.array(word, { maxLength: 6 }),
      parameters,
      fc.integer({ min: 1, max: 50 }),
      async (made, query, { k1, b }, k) => {
        const documents = numbered(made);
        const expected = referenceRanking(documents, query.join(' '), { k1, b, language: 'unicode' });
        await withIndex(documents, { language: 'unicode' }, (index) => {
          const { ids, scores } = new Bm25Searcher(index, { similarity: bm25({ k1, b }) }).search(
            query.join(' '),
            k,
          );
          expect(ids).toHaveLength(Math.min(k, expected.length));
          scores.forEach((score, rank) => {
            expect(score).toBeCloseTo(expected[rank].score, 5);
            const same = expected.find(({ document }) => document === ids[rank]);
            expect(score).toBeCloseTo(same!.score, 5);
          });
        });
      },
    ),
    { numRuns: 40 },
  );
});

test('pruned search is bit for bit exhaustive search, over many windows and blocks', async () => {
  const collection = numbered(randomTexts(15_000, 1));
  await withIndex(collection, { language: 'unicode' }, (index) => {
    const random = Random.from(7, 'queries');
    for (const similarity of [bm25(), bm25({ k1: 2, b: 1 }), bm25({ k1: 0, b: 0 }), tfIdf()]) {
      const pruned = new Bm25Searcher(index, { similarity });
      const exhaustive = new Bm25Searcher(index, { similarity, prune: false });
      for (let i = 0; i < 40; i++) {
        const query = Array.from({ length: 1 + random.integer(6) }, () => `w${random.integer(62)}`).join(' ');
        for (const k of [1, 10, 300]) expect(pruned.search(query, k)).toEqual(exhaustive.search(query, k));
      }
    }
  });
});

test('equal scores come in indexing order', async () => {
  await withIndex(numbered(['apple pie', 'pear', 'apple tart', 'apple cake']), {}, (index) => {
    const { ids, scores } = new Bm25Searcher(index).search('apple', 2);
    expect([...ids]).toEqual([0, 2]);
    expect(scores[0]).toBe(scores[1]);
  });
});

test('an index built with little memory is byte for byte that built with much', async () => {
  const collection = numbered(randomTexts(30_000, 2).map((text, i) => `${text} rare${i}`));
  const files = (memoryMb: number) =>
    withIndex(collection, { memoryMb, vectors: true }, async (_, folder) => {
      const names = (await readdir(folder)).sort();
      return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'base64')]));
    });
  const small = await files(4);
  expect(small).toHaveLength(11);
  expect(small).toEqual(await files(512));
});

test('returns ids, vectors and terms of every script as they were', async () => {
  const documents = [
    { id: 'ü/1', title: 'Étude', text: 'été \u{20000} \uffdc zebra zebra' },
    { id: '文2', text: '' },
    { id: 'x', text: 'été' },
  ];
  await withIndex(documents, { language: 'unicode', vectors: true }, (index) => {
    expect([0, 1, 2].map((n) => index.documentId(n))).toEqual(['ü/1', '文2', 'x']);
    const { terms, frequencies } = index.vector(0);
    const vector = Object.fromEntries(terms.map((term, i) => [index.terms.term(term), frequencies[i]]));
    expect(vector).toEqual({ étude: 1, été: 1, '\u{20000}': 1, '\uffdc': 1, zebra: 2 });
    expect(index.vector(1).terms).toEqual([]);
    for (const term of Object.keys(vector)) expect(index.terms.term(index.terms.find(term))).toBe(term);
    expect(index.terms.find('absent')).toBe(-1);
  });
});

test('a query without known terms finds nothing', async () => {
  await withIndex(numbered(['apple']), {}, (index) => {
    for (const text of ['', 'the', 'zebra', '!?'])
      expect(new Bm25Searcher(index).search(text, 5).ids).toHaveLength(0);
  });
});

test('very frequent terms and very long queries are scored by the formula', async () => {
  const many = Array.from({ length: 700 }, (_, i) => `t${i}`);
  const documents = numbered(['spam '.repeat(70_000), many.join(' '), 'spam t1 t2']);
  await withIndex(documents, { language: 'unicode' }, (index) => {
    const searcher = new Bm25Searcher(index);
    for (const query of ['spam', many.join(' ')]) {
      const expected = referenceRanking(documents, query, { language: 'unicode' });
      const { ids, scores } = searcher.search(query, 3);
      expect([...ids]).toEqual(expected.map(({ document }) => document));
      for (let i = 0; i < ids.length; i++) expect(scores[i] / expected[i].score).toBeCloseTo(1, 5);
    }
  });
});

test('refuses wrong parameters', async () => {
  expect(() => bm25({ k1: -1 })).toThrow('k1: expected a number from 0 up, got -1');
  expect(() => bm25({ b: 1.5 })).toThrow('b: expected a number from 0 to 1, got 1.5');
  await expect(buildBm25Index('never', [], { memoryMb: 1 })).rejects.toThrow(
    'memory: expected at least 4 MB, got 1',
  );
});

test('nothing is left of an index that could not be finished', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'nearmiss-bm25-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  async function* failing() {
    yield { id: '1', text: 'fine' };
    throw new Error('corpus.jsonl:2: broken');
  }
  await expect(buildBm25Index(join(parent, 'index'), failing())).rejects.toThrow('corpus.jsonl:2: broken');
  await expect(buildBm25Index(join(parent, 'index'), [])).rejects.toThrow('no documents');
  expect(await readdir(parent)).toEqual([]);
});

test('cut, damaged and foreign files are named', async () => {
  await withIndex(numbered(['apple pie', 'apple tart']), {}, async (_, folder) => {
    const postings = join(folder, 'postings.bin');
    const intact = await readFile(postings);
    const damaged = Buffer.from(intact);
    damaged[0] ^= 1;
    await writeFile(postings, damaged);
    await expect(openBm25Index(folder)).rejects.toThrow(`${postings}: expected checksum`);
    await truncate(postings, intact.length - 1);
    await expect(openBm25Index(folder)).rejects.toThrow(
      `${postings}: expected ${intact.length} bytes, got ${intact.length - 1}`,
    );
    await rm(postings);
    await expect(openBm25Index(folder)).rejects.toThrow(`${postings}: no such file`);
    const meta = join(folder, 'meta.json');
    const text = await readFile(meta, 'utf8');
    await writeFile(meta, text.replace('"totalLength": 4', '"totalLength": 5'));
    await expect(openBm25Index(folder)).rejects.toThrow(`${meta}: the file is damaged`);
    const { sealed: _sealed, contentSha256: _seal, ...content } = JSON.parse(text);
    await writeFile(meta, JSON.stringify({ ...content, version: 99 }));
    await expect(openBm25Index(folder)).rejects.toThrow(
      `${meta}: field "version": expected 1, got a number (99)`,
    );
    await expect(openBm25Index(join(folder, 'nowhere'))).rejects.toThrow('meta.json: no such file');
  });
});
