import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasAnswer } from '../evaluate/has-answer.js';
import { mine } from './mine.js';
import { positivesOf, rankedLists } from './negatives.fixture.js';
import { answers } from './rules/answers.js';
import { buildRules } from './rules/build-rules.js';
import { duplicates } from './rules/duplicates.js';
import { margin } from './rules/margin.js';
import { relativeMargin } from './rules/relative-margin.js';
import type { CandidateRule, RankedList } from './rules/rule.js';
import { skipRanks } from './rules/skip-ranks.js';
import { textFingerprint } from './text-fingerprint.js';

const BASE = { source: 'bm25', documentCount: 100, depth: 10 } as const;

async function minedWith(rule: CandidateRule, list: Partial<RankedList>, known: number[]): Promise<number[]> {
  const lists = [{ query: 0, ids: new Int32Array(0), scores: new Float32Array(0), ...list }];
  const { table } = await mine({
    ...BASE,
    queryCount: 1,
    lists,
    positives: positivesOf({ 0: known }),
    rules: [rule],
  });
  return [...table.row(0).ids];
}

function scored(pairs: [id: number, score: number][]): Partial<RankedList> {
  return {
    ids: Int32Array.from(pairs, ([id]) => id),
    scores: Float32Array.from(pairs, ([, score]) => score),
  };
}

describe('mine', () => {
  test('keeps what no rule objects to, with ranks of the original ranking, and reports', async () => {
    const { table, report } = await mine({
      ...BASE,
      queryCount: 4,
      depth: 4,
      lists: rankedLists({ 0: [7, 8, 9, 10, 11], 2: [1, 2, 3], 3: [] }),
      positives: positivesOf({ 0: [8, 50], 2: [1, 2, 3] }),
      rules: [skipRanks(1)],
    });
    expect([...table.counts]).toEqual([2, 0, 0, 0]);
    expect(table.row(0)).toEqual({
      ids: Int32Array.of(9, 10),
      scores: Float32Array.of(8, 7),
      ranks: Int32Array.of(3, 4),
    });
    expect(report).toEqual({
      queries: 3,
      ranked: 7,
      removed: { 'known-positives': 4, 'skip-ranks': 1 },
      kept: 2,
      empty: 2,
      positivesFound: 2,
      meanRank: 3.5,
    });
    expect(table.provenance).toMatchObject({
      source: 'bm25',
      documents: 100,
      rules: [
        { name: 'known-positives', parameters: {} },
        { name: 'skip-ranks', parameters: { ranks: 1 } },
      ],
      report,
    });
  });

  test('is the ranking without positives and skipped ranks, whatever the ranking', async () => {
    const list = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 30 });
    const property = fc.asyncProperty(
      fc.array(fc.tuple(list, list), { maxLength: 6 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 5 }),
      async (queries, depth, skipped) => {
        const { table, report } = await mine({
          ...BASE,
          depth,
          queryCount: queries.length,
          lists: rankedLists(Object.fromEntries(queries.map(([ids], query) => [query, ids]))),
          positives: positivesOf(Object.fromEntries(queries.map(([, known], query) => [query, known]))),
          rules: [skipRanks(skipped)],
        });
        let kept = 0;
        for (const [query, [ids, known]] of queries.entries()) {
          const expected = ids
            .map((id, place) => ({ id, rank: place + 1 }))
            .filter(({ id, rank }) => rank <= depth && rank > skipped && !known.includes(id));
          kept += expected.length;
          expect([...table.row(query).ids]).toEqual(expected.map(({ id }) => id));
          expect([...table.row(query).ranks]).toEqual(expected.map(({ rank }) => rank));
        }
        const removed = Object.values(report.removed).reduce((sum, n) => sum + n, 0);
        expect([report.kept, report.ranked]).toEqual([kept, kept + removed]);
      },
    );
    await fc.assert(property, { seed: 11 });
  });

  test('refuses rankings that cannot be right', async () => {
    const attempt = (lists: RankedList[]) =>
      mine({ ...BASE, queryCount: 2, lists, positives: positivesOf({}) });
    const [one] = rankedLists({ 0: [1] });
    await expect(attempt([one, one])).rejects.toThrow('ranking of query 0: came twice');
    await expect(attempt(rankedLists({ 2: [1] }))).rejects.toThrow('expected a query below 2');
    await expect(attempt(rankedLists({ 0: [1, 2, 1] }))).rejects.toThrow('listed twice');
    await expect(attempt(rankedLists({ 1: [100] }))).rejects.toThrow('expected documents below 100, got 100');
    await expect(attempt([{ ...one, scores: new Float32Array(2) }])).rejects.toThrow(
      'expected 1 scores, got 2',
    );
  });
});

describe('rules', () => {
  const list = scored([
    [1, 10],
    [2, 9.5],
    [3, 9],
    [4, 7],
    [5, -1],
  ]);

  test('margin: below the best positive by at least as much', async () => {
    expect(await minedWith(margin(0), list, [3, 4])).toEqual([5]);
    expect(await minedWith(margin(2), list, [3])).toEqual([4, 5]);
    expect(await minedWith(margin(2.5), list, [3])).toEqual([5]);
    expect(await minedWith(margin(0), list, [77])).toEqual([]);
    expect(() => margin(-1)).toThrow('expected a number from 0, got -1');
  });

  test('relative margin: below a share of the best positive', async () => {
    expect(await minedWith(relativeMargin(0.95), list, [1])).toEqual([2, 3, 4, 5]);
    expect(await minedWith(relativeMargin(0.9), list, [1])).toEqual([3, 4, 5]);
    expect(await minedWith(relativeMargin(0.9), list, [77])).toEqual([]);
    const below = scored([
      [1, -10],
      [2, -10.5],
      [3, -12],
    ]);
    expect(await minedWith(relativeMargin(0.9), below, [1])).toEqual([3]);
    expect(() => relativeMargin(1.05)).toThrow('expected a share above 0 and at most 1, got 1.05');
  });

  test('margins look for the positive beyond the depth, and need scores', async () => {
    const { table } = await mine({
      ...BASE,
      queryCount: 1,
      depth: 2,
      lists: rankedLists({ 0: [4, 5, 6] }),
      positives: positivesOf({ 0: [6] }),
      rules: [relativeMargin(0.5)],
    });
    expect([...table.counts]).toEqual([0]);
    const unscored = scored([[1, Number.NaN]]);
    await expect(minedWith(margin(0), unscored, [])).rejects.toThrow('query 0: its ranking has no scores');
  });

  test('answers: as DPR compares them', async () => {
    const texts = ['', 'The Eiffel Tower, built 1889.', 'Paris has towers.', 'EIFFEL  tower', 'Eiffel'];
    const rule = answers({ answersOf: () => ['eiffel tower', ''], textOf: (document) => texts[document] });
    expect(
      await minedWith(rule, { ids: Int32Array.of(1, 2, 3, 4), scores: new Float32Array(4) }, []),
    ).toEqual([2, 4]);
    const none = answers({ answersOf: () => [], textOf: () => 'anything' });
    expect(await minedWith(none, list, [])).toHaveLength(5);
  });

  test('answers: no text that DPR finds an answer in is passed', async () => {
    const word = fc.constantFrom(
      'ΟΔΟΣ',
      'οδος',
      'Σ',
      "σ'α",
      'é',
      'e\u0301',
      'İ',
      '1,889',
      'x-ray',
      '東京',
      ' ',
      '.',
      'a',
    );
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const property = fc.asyncProperty(text, fc.array(text, { maxLength: 3 }), async (passage, wanted) => {
      const rule = answers({ answersOf: () => wanted, textOf: () => passage });
      const dropped = (await minedWith(rule, scored([[1, 1]]), [])).length === 0;
      expect(dropped).toBe(
        hasAnswer(
          passage,
          wanted.filter((answer) => /[^\s]/.test(answer)),
        ),
      );
    });
    await fc.assert(property, { seed: 4, numRuns: 500 });
  });

  test("duplicates: a positive's text under another id, whatever its case and punctuation", async () => {
    const texts = ['A near miss!', 'a  NEAR-miss', 'A near hit!', '近在咫尺。', '近在咫尺'];
    const prints = texts.map(textFingerprint);
    const rule = duplicates((document) => prints[document]);
    expect(
      await minedWith(rule, { ids: Int32Array.of(1, 2, 3, 4), scores: new Float32Array(4) }, [0, 3]),
    ).toEqual([2]);
  });

  test('are built in the order of their cost', () => {
    const texts = { fingerprintOf: () => 0, answers: { answersOf: () => [], textOf: () => '' } };
    const all = { skipRanks: 5, margin: 0, relativeMargin: 0.95, dropAnswers: true };
    expect(buildRules(all, texts).map(({ name, parameters }) => [name, parameters])).toEqual([
      ['skip-ranks', { ranks: 5 }],
      ['margin', { margin: 0 }],
      ['relative-margin', { share: 0.95 }],
      ['duplicates', {}],
      ['answers', {}],
    ]);
    expect(buildRules({ skipRanks: 0, dropAnswers: false })).toEqual([]);
    expect(() => buildRules({ dropAnswers: true })).toThrow('dropAnswers needs the answers');
  });
});
