import { expect, test } from 'vitest';
import type { Document } from '../../data/index.js';
import { compileFilter, type DocumentFilter } from '../filter/filter.js';
import { compareHits } from '../hits.js';
import type { Hit, Retriever } from './retriever.js';

/** What a retriever is checked against: brute force over all documents. */
export interface RetrieverCase {
  retriever: Retriever;
  documents: readonly Document[];
  queries: readonly string[];
  /** The score of every allowed document that may be among the best k. */
  score(query: string, allowed: readonly Document[], k: number): Promise<ReadonlyMap<string, number>>;
  /** Names of the parts of an explained hit. */
  parts: readonly string[];
}

const FILTERS: Record<string, DocumentFilter | undefined> = {
  'no filter': undefined,
  'half of the documents': { even: true },
  'one in fourteen': { noun: 3 },
  'two documents': { noun: 3, adjective: { $in: [4, 5] } },
  'no metadata at all': { noun: { $exists: false } },
  nothing: { noun: 99 },
};

/** Every retriever must pass this. */
export function testRetriever(name: string, open: () => RetrieverCase): void {
  test.each(Object.entries(FILTERS))(`${name}: the best of brute force, %s`, async (_, filter) => {
    const { retriever, documents, queries, score } = open();
    const matches = compileFilter(filter ?? {});
    const allowed = documents.filter(({ metadata }) => matches(metadata));
    for (const k of [1, 10, 500]) {
      const found = await retriever.search(queries, { k, filter });
      expect(found).toHaveLength(queries.length);
      for (const [i, query] of queries.entries()) expectBest(found[i], await score(query, allowed, k), k);
    }
  });

  test(`${name}: one query at a time, many at once and all at the same time give the same`, async () => {
    const { retriever, queries } = open();
    const together = await retriever.search(queries, { k: 7 });
    const alone: Hit[][] = [];
    for (const query of queries) alone.push((await retriever.search([query], { k: 7 }))[0]);
    const concurrent = await Promise.all(
      queries.map(async (query) => (await retriever.search([query], { k: 7 }))[0]),
    );
    for (const other of [alone, concurrent]) expect(rounded(other)).toEqual(rounded(together));
  });

  test(`${name}: explained hits are the same hits, with their parts`, async () => {
    const { retriever, queries, parts } = open();
    const plain = await retriever.search(queries, { k: 5 });
    const explained = await retriever.search(queries, { k: 5, explain: true });
    expect(rounded(explained)).toEqual(rounded(plain));
    for (const hit of explained.flat()) expect(hit.parts?.map((part) => part.name)).toEqual(parts);
    expect(plain.flat().every((hit) => hit.parts === undefined)).toBe(true);
  });

  test(`${name}: tells how many queries are done; none is fine`, async () => {
    const { retriever, queries } = open();
    let done = 0;
    await retriever.search(queries, { k: 3, onDone: (n) => (done += n) });
    expect(done).toBe(queries.length);
    expect(await retriever.search([], { k: 3 })).toEqual([]);
  });
}

/** Equal scores may be cut anywhere at the end, so scores are compared by place and by document. */
function expectBest(hits: readonly Hit[], scores: ReadonlyMap<string, number>, k: number): void {
  const best = [...scores].map(([id, score]) => ({ id, score })).sort(compareHits);
  expect(hits).toHaveLength(Math.min(k, best.length));
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
  hits.forEach(({ id, score }, i) => {
    expect(score).toBeCloseTo(best[i].score, 4);
    expect(score).toBeCloseTo(scores.get(id)!, 4);
    if (i > 0) expect(compareHits(hits[i - 1], hits[i])).toBeLessThan(0);
  });
}

/** Texts encoded in other company differ in the last bits. */
function rounded(found: readonly Hit[][]): [string, string][][] {
  return found.map((hits) => hits.map(({ id, score }) => [id, score.toFixed(4)]));
}
