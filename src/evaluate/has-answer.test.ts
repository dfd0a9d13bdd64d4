import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDataset } from '../data/open.js';
import { findAnswerRanks } from './answer-ranks.js';
import { evaluate } from './evaluate.js';
import { answerTokens, containsAnswer, hasAnswer } from './has-answer.js';
import { makeRun } from './run.js';

describe("DPR's rule", () => {
  // Expected values: DPR's regular expression in Python's `regex`, after unicodedata.normalize('NFD').
  test.each([
    [
      "It was built in 1,889—by Gustave Eiffel's firm.",
      ['it', 'was', 'built', 'in', '1', ',', '889', '—', 'by', 'gustave', 'eiffel', "'", 's', 'firm', '.'],
    ],
    ['Zürich CAFÉ ﬁn', ['zu\u0308rich', 'cafe\u0301', 'ﬁn']],
    ['東京タワー is 333m', ['東京タワー', 'is', '333m']],
    ['a\u200bb\u00a0c\nd', ['a', 'b', 'c', 'd']],
    ['U.S.A. $5.00', ['u', '.', 's', '.', 'a', '.', '$', '5', '.', '00']],
    ['İstanbul ΣΑΣ', ['i\u0307stanbul', 'σας']],
    ['👍🏽 ok', ['👍', '🏽', 'ok']],
    ['x² ½ ①', ['x²', '½', '①']],
  ])('tokens of %j', (text, tokens) => {
    expect(answerTokens(text)).toEqual(tokens);
  });

  test('whole tokens, one after the other, whatever the case and the form of accents', () => {
    expect(hasAnswer('He lived in New York City.', ['new york'])).toBe(true);
    expect(hasAnswer('He lived in New Yorkshire.', ['new york'])).toBe(false);
    expect(hasAnswer('New, York', ['new york'])).toBe(false);
    expect(hasAnswer('Caf\u00e9 de Flore', ['cafe\u0301'])).toBe(true);
    expect(hasAnswer('in 1889', ['1890', '1889'])).toBe(true);
    expect(hasAnswer('anything', [])).toBe(false);
  });

  test('a sequence is found exactly where it is a part', () => {
    const tokens = fc.array(fc.constantFrom('a', 'b'), { maxLength: 8 });
    fc.assert(
      fc.property(tokens, tokens, (passage, answer) => {
        expect(containsAnswer(passage, answer)).toBe(passage.join('').includes(answer.join('')));
      }),
    );
  });
});

describe('ranks of the first answer', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-answers-'));
    const lines = (records: object[]): string =>
      records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await mkdir(join(folder, 'qrels'));
    await writeFile(
      join(folder, 'corpus.jsonl'),
      lines([
        { _id: 'd1', title: 'Paris', text: 'A city.' },
        { _id: 'd2', title: '', text: 'The capital is Paris.' },
        { _id: 'd3', title: '', text: 'Nothing here' },
        { _id: 'd4', title: '', text: 'Paris again' },
      ]),
    );
    await writeFile(
      join(folder, 'queries.jsonl'),
      lines([
        { _id: 'q1', text: 'capital?', metadata: { answers: ['Lutetia', 'paris'] } },
        { _id: 'q2', text: 'other?', metadata: { answers: ['nowhere'] } },
        { _id: 'q3', text: 'no answers', metadata: {} },
      ]),
    );
    await writeFile(
      join(folder, 'qrels/test.tsv'),
      'query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td3\t1\nq3\td1\t1\n',
    );
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = makeRun('t', {
    q1: [
      ['d3', 3],
      ['d1', 2],
      ['d2', 1],
    ],
    q2: [['d3', 1]],
  });

  test('texts decide, titles do not, and a run gives Coverage', async () => {
    const dataset = await openDataset(folder);
    const answerRanks = await findAnswerRanks(dataset, run);
    expect([...answerRanks]).toEqual([['q1', 3]]);
    const { mean } = evaluate(run, await dataset.qrels('test'), ['Coverage@2', 'Coverage@3'], {
      answerRanks,
    });
    expect(mean).toEqual({ 'Coverage@2': 0, 'Coverage@3': 0.5 });
    expect([...(await findAnswerRanks(dataset, run, { depth: 2 }))]).toEqual([]);
  });

  test('the best rank counts, in whatever order the passages are read', async () => {
    const dataset = await openDataset(folder);
    for (const [first, second] of [
      ['d2', 'd4'],
      ['d4', 'd2'],
    ]) {
      const both = makeRun('t', {
        q1: [
          [first, 2],
          [second, 1],
        ],
      });
      expect([...(await findAnswerRanks(dataset, both))]).toEqual([['q1', 1]]);
    }
  });

  test('what the dataset lacks is named', async () => {
    const dataset = await openDataset(folder);
    const missing = makeRun('t', { q1: [['d9', 1]] });
    await expect(findAnswerRanks(dataset, missing)).rejects.toThrow(
      /1 documents of the run are not in .*"d9"/,
    );
    const unanswered = makeRun('t', { q3: [['d1', 1]] });
    await expect(findAnswerRanks(dataset, unanswered)).rejects.toThrow(
      'query "q3": field "metadata.answers": expected an array of texts, got nothing',
    );
  });
});
