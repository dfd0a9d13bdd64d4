import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Qrels } from './dataset.js';
import { readQrels, writeQrels } from './qrels.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-qrels-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(content: string): Promise<Qrels> {
  const path = join(folder, 'qrels.txt');
  await writeFile(path, content);
  return readQrels(path);
}

const expected: Qrels = new Map([
  [
    'q1',
    new Map([
      ['d1', 2],
      ['d2', 0],
    ]),
  ],
  ['q2', new Map([['d1', -1]])],
]);

describe('reads', () => {
  test.each([
    ['TREC', 'q1 0 d1 2\nq1 Q0  d2 0\n\nq2\t0 d1 -1\n'],
    ['MS MARCO', 'q1\t0\td1\t2\nq1\t0\td2\t0\nq2\t0\td1\t-1\n'],
    ['BEIR', 'query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t-1\n'],
    ['BEIR without its header, CRLF', 'q1\td1\t2\r\nq1\td2\t0\r\nq2\td1\t-1.0\r\n'],
    [
      'FlagEmbedding',
      '{"qid":"q1","docid":"d1","relevance":2}\n{"qid":"q1","docid":"d2","relevance":0}\n{"qid":"q2","docid":"d1","relevance":-1}',
    ],
  ])('%s', async (_, content) => {
    expect(await read(content)).toEqual(expected);
  });

  test('tabs let ids contain blanks', async () => {
    expect(await read('a query\ta document\t1\n')).toEqual(
      new Map([['a query', new Map([['a document', 1]])]]),
    );
  });
});

describe('tells what is wrong and where', () => {
  test.each([
    ['q1 0 d1 1\nq1 d1\n', /qrels\.txt:2: expected 3 columns .* or 4 .*, got 2/],
    ['q1 0 d1 1\nq1 0 d2 high\n', /qrels\.txt:2: field "score": expected a whole number, got "high"/],
    ['q1 0 d1 0.5\n', /:1: field "score": expected a whole number, got "0.5"/],
    ['q1\t\t1\n', /:1: field "corpus-id": expected an id, got nothing/],
    ['q1 0 d1 1\nq1 0 d1 2\n', /:2: query "q1", document "d1": judged 1 and 2/],
    [
      '{"qid":"q1","docid":["d1"],"relevance":1}',
      /:1: field "docid": expected a string or a number, got an array/,
    ],
    ['{"qid":"q1"', /:1: not valid JSON/],
  ])('%j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});

test('what is written is read back, in both formats, plain and gzip', async () => {
  const id = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .map((text) => text.replace(/[\s]/gu, '_'));
  const judged = fc.uniqueArray(fc.tuple(id, fc.integer({ min: -2, max: 4 })), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 5,
  });
  const qrels = fc.uniqueArray(fc.tuple(id, judged), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(qrels, fc.constantFrom('trec', 'beir'), fc.boolean(), async (entries, format, zip) => {
      const original: Qrels = new Map(entries.map(([query, documents]) => [query, new Map(documents)]));
      const path = join(folder, zip ? 'round.tsv.gz' : 'round.tsv');
      await writeQrels(path, original, { format: format as 'trec' | 'beir' });
      expect(await readQrels(path)).toEqual(original);
    }),
    { numRuns: 60, seed: 1 },
  );
});

test('refuses to write ids that could not be read back', async () => {
  const qrels: Qrels = new Map([['a b', new Map([['d', 1]])]]);
  await expect(writeQrels(join(folder, 'bad.txt'), qrels, { format: 'trec' })).rejects.toThrow(
    /"a b".*white space/,
  );
  await expect(readQrels(join(folder, 'bad.txt'))).rejects.toThrow(/no such file/);
});
