import { describe, expect, test } from 'vitest';
import type { Dataset, Document } from '../data/index.js';
import { learnedDocuments, type MadeQuery, makeQueries } from './made-queries.js';

const WORDS = 'pump valve motor filter sensor cable switch panel tank hose bolt wheel belt fan lamp'.split(
  ' ',
);

/** Passages of files: of each its path, its title, and where its links lead. */
function folderOf(passages: readonly { path: string; title: string; links?: object[] }[]): Dataset {
  return {
    name: 'folder',
    async *documents(): AsyncGenerator<Document> {
      for (const [i, { path, title, links = [] }] of passages.entries()) {
        const text = WORDS.map((word, nth) => `The ${word} ${i} has ${nth} screws.`).join(' ');
        yield { id: String(i), title, text, metadata: { path, links, heading: '' } };
      }
    },
    async *queries() {},
    splits: async () => [],
    qrels: async () => new Map(),
  };
}

/** The files whose passages are answers of one side. */
function filesOf(queries: readonly MadeQuery[], heldOut: boolean, fileOf: (document: number) => number) {
  const own = queries.filter((query) => query.heldOut === heldOut);
  return new Set(own.map(({ document }) => fileOf(document)));
}

const MOST = { train: 5000, heldOut: 5000 };
const MIX = { train: ['ict'], heldOut: ['title'], natural: true };

describe('what is held out comes from other files than what is learned from', () => {
  test('also where a file is too long to be kept together', async () => {
    const fileOf = (document: number): number => Math.floor(document / 200);
    const passages = Array.from({ length: 5000 }, (_, i) => ({
      path: `${fileOf(i)}.md`,
      title: `File ${fileOf(i)}`,
    }));
    const split = { seed: 1, sources: 25 };
    const dataset = folderOf(passages);
    const { queries } = await makeQueries(dataset, { mix: MIX, most: MOST, ...split });
    const [learned, held] = [filesOf(queries, false, fileOf), filesOf(queries, true, fileOf)];
    expect(learned.size + held.size).toBe(25);
    expect(held.size).toBeGreaterThan(2);
    expect([...held].filter((file) => learned.has(file))).toEqual([]);
    const documents = await learnedDocuments(dataset, split);
    expect(new Set(documents.map(fileOf))).toEqual(learned);
    expect(documents).toHaveLength(200 * learned.size);
  });

  test('also where links lead from one to the other, ahead or back', async () => {
    const count = 120;
    const passages = Array.from({ length: count }, (_, i) => ({
      path: `${i}.md`,
      title: `File ${i}`,
      links: [(i + 7) % count, (i + 113) % count].map((to) => ({
        text: `see file ${to} of ${i}`,
        to: `${to}.md`,
      })),
    }));
    const mix = { ...MIX, train: ['links', 'ict'] };
    const { queries } = await makeQueries(folderOf(passages), { mix, most: MOST, seed: 1, sources: count });
    const fileOf = (document: number): number => document;
    const held = filesOf(queries, true, fileOf);
    expect(queries.filter(({ maker }) => maker === 'links').length).toBeGreaterThan(60);
    expect(held.size).toBeGreaterThan(20);
    expect([...filesOf(queries, false, fileOf)].filter((file) => held.has(file))).toEqual([]);
  });
});

test('a query that two documents answer alike is left out, also where only one of both was drawn', async () => {
  const passages = Array.from({ length: 400 }, (_, i) => ({
    path: `${i}.md`,
    title: i % 2 === 0 ? `File ${i}` : `Chapter ${(i * 7) % 20}`,
  }));
  const options = { mix: MIX, seed: 1, sources: 400, most: { train: 20, heldOut: 20 } };
  const { queries, ambiguous } = await makeQueries(folderOf(passages), options);
  const measured = queries.filter(({ heldOut }) => heldOut);
  expect(measured.length).toBeGreaterThan(0);
  expect(measured.filter(({ query }) => !query.startsWith('File'))).toEqual([]);
  expect(ambiguous.heldOut).toBe(20 - measured.length);
});
