import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Document, fullText } from '../data/dataset.js';
import { compileFilter, type DocumentFilter } from './filter/filter.js';
import { compareHits } from './hits.js';
import { searchModes } from './retrievers/modes.js';
import type { Hit, RetrieveOptions, ScorePart, SearchMode } from './retrievers/retriever.js';
import type { CascadeChoice, Searcher } from './searcher.js';

/** What every searcher is compared with: one that has all modes over the same documents. */
export interface SearcherReference {
  searcher: Searcher;
  documents: readonly Document[];
  queries: readonly string[];
}

/** A searcher that is open, and how to let go of it where closing it is not enough. */
export interface SearcherCase {
  searcher: Searcher;
  close?: () => Promise<void>;
}

const FILTERS: Record<string, DocumentFilter | undefined> = {
  'no filter': undefined,
  'half of the documents': { even: true },
  'one in fourteen': { noun: 3 },
  'no metadata at all': { noun: { $exists: false } },
  nothing: { noun: 99 },
};

/** More than there are documents. */
const ALL = 1000;
/** Of a cascade: all documents, so that nothing depends on which of equals come first. */
const WHOLE: CascadeChoice = { depth: ALL };

/**
 * Every searcher must pass this: whatever a searcher can do, it does as the others do.
 *
 * @param open over the documents of the reference
 */
export function testSearcher(
  name: string,
  open: () => Promise<SearcherCase>,
  reference: () => SearcherReference,
): void {
  describe(name, () => {
    let searcher: Searcher;
    let release: () => Promise<void>;
    let expected: Searcher;
    let documents: readonly Document[];
    let queries: readonly string[];
    beforeAll(async () => {
      const opened = await open();
      searcher = opened.searcher;
      release = opened.close ?? (() => searcher.close());
      ({ searcher: expected, documents, queries } = reference());
    });
    afterAll(() => release());

    test('finds documents with their texts, in one call', async () => {
      const [first, second] = queries;
      const alone = await searcher.search(first, { k: 3 });
      const [hits] = await searcher.retriever(searcher.defaultMode).search([first], { k: 3 });
      expect(alone.map(({ id, score }) => ({ id, score }))).toEqual(hits);
      for (const { id, text, title } of alone) {
        const document = documents.find((each) => each.id === id)!;
        expect({ text, title }).toEqual({
          text: searcher.documents.count > 0 ? document.text : '',
          title: searcher.documents.count > 0 ? document.title : undefined,
        });
      }
      const mode = searcher.modes[0];
      const both = await searcher.search([first, second], { k: 2, mode });
      expect(both.map((each) => each.map(({ id }) => id))).toEqual(
        (await searcher.retriever(mode).search([first, second], { k: 2 })).map((each) =>
          each.map(({ id }) => id),
        ),
      );
      expect(await searcher.search(first)).toHaveLength(10);
    });

    const search = (from: Searcher, mode: SearchMode, texts: readonly string[], options: RetrieveOptions) =>
      from.retriever(mode, WHOLE).search(texts, options);
    const matching = (filter: DocumentFilter | undefined): Document[] => {
      const matches = compileFilter(filter ?? {});
      return documents.filter(({ metadata }) => matches(metadata));
    };
    /** Reading pairs takes its time. */
    const some = (mode: SearchMode): readonly string[] => queries.slice(0, mode === 'cascade' ? 2 : 12);

    test('says what it is', () => {
      expect(searcher.name).not.toBe('');
      expect(searcher.version).toMatch(/^[0-9a-f]{12}(\+\d+)?$/);
      expect(searcher.modes.length).toBeGreaterThan(0);
      expect(searchModes.names.filter((mode) => searcher.modes.includes(mode))).toEqual(searcher.modes);
      expect(searcher.modes).toContain(searcher.defaultMode);
      expect(searcher.documents.count).toBe(documents.length);
      const hasVectors = searcher.modes.includes('dense');
      expect(searcher.model).toEqual(
        hasVectors ? { name: expect.any(String), dimension: expected.model!.dimension } : undefined,
      );
    });

    test.each(Object.entries(FILTERS))('finds what the others find, %s', async (_, filter) => {
      for (const mode of searcher.modes) {
        const texts = some(mode);
        const whole = await search(expected, mode, texts, { k: ALL, filter });
        for (const k of [1, 10, ALL]) {
          const found = await search(searcher, mode, texts, { k, filter });
          expect(found).toHaveLength(texts.length);
          found.forEach((hits, query) => {
            expectBest(hits, whole[query], k);
          });
        }
        if (mode === 'dense') expect(whole[0]).toHaveLength(matching(filter).length);
      }
    });

    test('explains as the others do, and the parts add up', async () => {
      for (const mode of searcher.modes) {
        const options = { k: ALL, explain: true, filter: { even: true } };
        // Of two words the one that comes later, and twice, counts more.
        const [one, other] = documents[25].text.split(' ');
        const texts = [...some(mode), `${one} ${other} ${other}`];
        const found = await search(searcher, mode, texts, options);
        const others = await search(expected, mode, texts, options);
        found.forEach((hits, query) => {
          expect(hits.map(shape)).toEqual(others[query].map(shape));
          for (const { score, parts } of hits) expectSum(mode, score, parts!);
        });
        const [plain] = await search(searcher, mode, some(mode).slice(0, 1), { k: 3 });
        expect(plain.every(({ parts }) => parts === undefined)).toBe(true);
      }
    });

    test('a cascade reranks what is asked for, as deep as is asked for', async () => {
      if (!searcher.modes.includes('cascade')) return;
      const [query] = queries;
      for (const first of ['bm25', 'dense', 'hybrid']) {
        const [found] = await searcher.retriever('cascade', { first, depth: 3 }).search([query], { k: 1 });
        const [whole] = await expected
          .retriever('cascade', { first, depth: ALL })
          .search([query], { k: ALL });
        const [candidates] = await expected.retriever(first).search([query], { k: 3 });
        const read = whole.filter(({ id }) => candidates.some((candidate) => candidate.id === id));
        expectBest(found, read, 1);
      }
    });

    test('marks the query’s words in texts as the others do', () => {
      // Without an index of words it is not known which of them count most, when not all can be shown.
      const lengths = searcher.modes.includes('bm25') ? [undefined, 12] : [undefined];
      for (const query of [...queries.slice(0, 5), documents[0].text, '', 'zzz']) {
        for (const document of documents.slice(0, 20)) {
          for (const length of lengths) {
            expect(searcher.snippet(query, document, { length })).toEqual(
              expected.snippet(query, document, { length }),
            );
          }
        }
      }
      const { text } = documents[0];
      const { highlights } = searcher.snippet(text, documents[0]);
      expect(highlights.map(([start, end]) => text.slice(start, end))).toEqual(text.split(' '));
    });

    test('encodes as the others do, or says that there is no model', async () => {
      const texts = documents.slice(0, 4).map(fullText);
      if (!searcher.model) {
        for (const refused of [
          () => searcher.encode(texts, 'query'),
          () => searcher.score('what', texts),
          () => searcher.encodeDocuments(texts),
          () => searcher.vectorOf(documents[0].id),
          () => searcher.searchVectors(new Float32Array(8), { k: 1 }),
        ]) {
          await expect(refused()).rejects.toThrow('there is no model here that makes vectors');
        }
        return;
      }
      for (const use of ['query', 'document'] as const) {
        expectClose(await searcher.encode(texts, use), await expected.encode(texts, use));
      }
      const scores = await searcher.score(texts[0], texts);
      expectClose(scores, await expected.score(texts[0], texts));
      expect(await searcher.score(texts[0], [])).toHaveLength(0);
      const [rows, others] = [await searcher.encodeDocuments(texts), await expected.encodeDocuments(texts)];
      expectClose(rows.vectors, others.vectors);
      expect(rows.offsets).toEqual(others.offsets);
      expect(await searcher.encode([], 'query')).toHaveLength(0);
      expect((await searcher.encodeDocuments([])).vectors).toHaveLength(0);
    });

    test('finds neighbours of documents by their vectors', async () => {
      if (!searcher.model) return;
      expect(await searcher.vectorOf('nobody')).toBeUndefined();
      const { dimension } = searcher.model;
      const places = [0, 30, 110, documents.length - 1];
      const vectors = new Float32Array(places.length * dimension);
      for (const [i, place] of places.entries()) {
        const vector = (await searcher.vectorOf(documents[place].id))!;
        expectClose(vector, (await expected.vectorOf(documents[place].id))!);
        vectors.set(vector, i * dimension);
      }
      const nearest = await searcher.searchVectors(vectors, { k: 1 });
      expect(nearest.map(([hit]) => hit.id)).toEqual(places.map((place) => documents[place].id));
      for (const filter of Object.values(FILTERS)) {
        const whole = await expected.searchVectors(vectors, { k: ALL, filter });
        for (const k of [1, 7, ALL]) {
          const found = await searcher.searchVectors(vectors, { k, filter });
          expect(found).toHaveLength(places.length);
          found.forEach((hits, i) => {
            expectBest(hits, whole[i], k);
          });
        }
      }
      expect(await searcher.searchVectors(new Float32Array(0), { k: 3 })).toEqual([]);
      const uneven = searcher.searchVectors(vectors.subarray(1), { k: 3 });
      await expect(uneven).rejects.toThrow(`vectors: expected ${dimension} numbers each`);
    });

    test('takes what queries there are: none, empty ones, unknown words, the same twice', async () => {
      for (const mode of searcher.modes) {
        expect(await search(searcher, mode, [], { k: 3 })).toEqual([]);
        const odd = ['', ' \n', 'zzz qqq', '😀', queries[0], queries[0]];
        const whole = await search(expected, mode, odd, { k: ALL });
        const found = await search(searcher, mode, odd, { k: 5 });
        found.forEach((hits, query) => {
          expectBest(hits, whole[query], 5);
        });
        let done = 0;
        await search(searcher, mode, odd, { k: 1, onDone: (n) => (done += n) });
        expect(done).toBe(odd.length);
      }
    });

    test('many searches at the same time do not mix', async () => {
      const jobs = searcher.modes.flatMap((mode) =>
        some(mode)
          .slice(0, 4)
          .flatMap((query) => [1, 4].map((k) => ({ mode, query, k }))),
      );
      const together = await Promise.all(
        jobs.map(({ mode, query, k }) => search(searcher, mode, [query], { k })),
      );
      for (const [i, { mode, query, k }] of jobs.entries()) {
        const [whole] = await search(expected, mode, [query], { k: ALL });
        expectBest(together[i][0], whole, k);
      }
    });

    test('refuses what makes no sense', async () => {
      for (const unknown of ['bm52', '', 'toString']) {
        expect(() => searcher.retriever(unknown)).toThrow(`no search mode is called "${unknown}"`);
      }
      for (const mode of searchModes.names.filter((each) => !searcher.modes.includes(each))) {
        expect(() => searcher.retriever(mode)).toThrow(`cannot search in mode "${mode}": it needs`);
      }
      for (const mode of searcher.modes) {
        for (const k of [0, -1, 1.5, Number.NaN]) {
          await expect(search(searcher, mode, queries, { k })).rejects.toThrow(
            `k: expected a whole number from 1, got ${k}`,
          );
        }
        const filter = { year: { $above: 3 } } as unknown as DocumentFilter;
        await expect(search(searcher, mode, queries, { k: 3, filter })).rejects.toThrow('filter.year.$above');
      }
    });

    test('closed, it says so; closing it again is no error', async () => {
      const { searcher: closed, close = () => closed.close() } = await open();
      const { modes } = closed;
      await Promise.all([close(), close()]);
      await close();
      for (const mode of modes) {
        const late = async () => search(closed, mode, ['x'], { k: 1 });
        await expect(late()).rejects.toThrow('closed');
      }
      await expect((async () => closed.documents.get(documents[0].id))()).rejects.toThrow('closed');
    });
  });
}

/**
 * The best k of a whole list. Where equal scores are cut it does not matter which of them are there, and texts encoded
 * in other company differ in the last bits: so scores are compared, by place and by document.
 */
function expectBest(hits: readonly Hit[], whole: readonly Hit[], k: number): void {
  const scores = new Map(whole.map(({ id, score }) => [id, score]));
  expect(hits).toHaveLength(Math.min(k, whole.length));
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
  hits.forEach(({ id, score }, i) => {
    expect(score).toBeCloseTo(whole[i].score, 4);
    expect(score).toBeCloseTo(scores.get(id)!, 4);
    if (i > 0) expect(compareHits(hits[i - 1], hits[i])).toBeLessThan(0);
  });
}

function expectClose(found: Float32Array, expected: Float32Array): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => {
    expect(value).toBeCloseTo(expected[i], 4);
  });
}

/** What an explanation says but for the last bits of its numbers. */
function shape({ id, score, parts }: Hit): unknown {
  const digits = (value: number | undefined): string | undefined => value?.toFixed(3);
  return {
    id,
    score: digits(score),
    parts: parts!.map((part) => ({
      ...part,
      score: digits(part.score),
      contribution: digits(part.contribution),
      terms: part.terms?.map(({ term, score: given }) => [term, given]),
    })),
  };
}

/** Words add up to the bit, fused parts to rounding; the last part of a cascade is the score. */
function expectSum(mode: SearchMode, score: number, parts: readonly ScorePart[]): void {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  for (const { terms, score: ofWords } of parts) {
    if (terms) expect(sum(terms.map((term) => term.score))).toBe(ofWords);
  }
  if (mode === 'hybrid') expect(sum(parts.map((part) => part.contribution!))).toBeCloseTo(score, 12);
  else expect(parts.at(-1)!.score).toBe(score);
}
