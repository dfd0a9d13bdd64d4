import { describe, expect, test } from 'vitest';
import type { Dataset, Qrels } from '../../data/dataset.js';
import { Random } from '../../engine/random.js';
import { holdOut, withHeldOut } from './held-out.js';
import { labelledDocuments, queriesWithoutLabels } from './queries-without-labels.js';

/** Queries with the answers of each; every third has the words of the one before. */
function collection(answers: readonly (readonly string[])[]): Dataset {
  const qrels: Qrels = new Map(answers.map((ids, i) => [`q${i}`, new Map(ids.map((id) => [id, 1]))]));
  return {
    name: 'made',
    documents: async function* () {},
    async *queries() {
      for (const [i] of answers.entries()) yield { id: `q${i}`, text: `words ${i % 3 === 2 ? i - 1 : i}` };
    },
    splits: async () => ['train'],
    qrels: async () => qrels,
  };
}

async function heldOutOf(dataset: Dataset) {
  const { queries } = await holdOut(dataset, { from: 'train', split: 'dev' });
  const divided = await withHeldOut(dataset, { from: 'train', split: 'dev', queries });
  const labelled = labelledDocuments(await divided.qrels('train'));
  const without = queriesWithoutLabels(queries, await divided.qrels('dev'), (id) => labelled.has(id));
  return { queries, without: without.map((place) => queries[place]), divided };
}

const random = Random.from(5, 'answers');
/** [what it is, answers of 300 queries, share of the held out whose documents have no labels] */
const KINDS: [string, string[][], [least: number, most: number]][] = [
  ['an answer of its own', Array.from({ length: 300 }, (_, i) => [`d${i}`]), [1, 1]],
  [
    'an answer that two others have, or of its own',
    Array.from({ length: 300 }, (_, i) => [i % 2 ? `d${i}` : `shared${i >> 3}`]),
    [0.4, 0.7],
  ],
  ['an answer that four others have', Array.from({ length: 300 }, (_, i) => [`d${i % 60}`]), [0.3, 0.5]],
  [
    'answers that join all queries',
    Array.from({ length: 300 }, () => [`d${random.integer(40)}`, `d${random.integer(40)}`]),
    [0, 0.2],
  ],
];

describe.each(KINDS)('where each query has %s', (_, answers, [least, most]) => {
  test('the held out are a fifth, with the share of documents without labels that queries to come have, or a third', async () => {
    const { queries, without } = await heldOutOf(collection(answers));
    expect(queries.length).toBeGreaterThan(50);
    expect(queries.length).toBeLessThan(75);
    expect(new Set(queries).size).toBe(queries.length);
    expect(without.length / queries.length).toBeGreaterThanOrEqual(least);
    expect(without.length / queries.length).toBeLessThanOrEqual(most);
    expect((await heldOutOf(collection(answers))).queries).toEqual(queries);
  });

  test('no words are on both sides, and every query is on one', async () => {
    const dataset = collection(answers);
    const { queries, divided } = await heldOutOf(dataset);
    const textOf = new Map<string, string>();
    for await (const { id, text } of dataset.queries()) textOf.set(id, text);
    const learned = [...(await divided.qrels('train')).keys()];
    expect(learned.length + queries.length).toBe(answers.length);
    const words = new Set(learned.map((id) => textOf.get(id)));
    expect(queries.filter((id) => words.has(textOf.get(id)))).toEqual([]);
  });
});

test.each([
  [2, 1],
  [5, 2],
  [49, 24],
  [120, 50],
])('of %i labelled queries %i are held out', async (count, expected) => {
  const { queries } = await heldOutOf(collection(Array.from({ length: count }, (_, i) => [`d${i}`])));
  expect(Math.abs(queries.length - expected)).toBeLessThanOrEqual(1);
});

test.each([
  ['no query', [[], []]],
  ['a single query', [['d1'], []]],
])('with %s that has an answer nothing can be held out, and that is said', async (what, answers) => {
  await expect(holdOut(collection(answers), { from: 'train', split: 'dev' })).rejects.toThrow(
    `made: ${what} of split "train" has a relevant document, and there is no split "dev" to measure on`,
  );
});
