import { expect, test } from 'vitest';
import { analyzerFor } from '../../text/analyzers/index.js';
import { PieceWords } from '../../text/piece-words.js';
import { MINILM } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { documentFrequencies, FREQUENCY_DEFAULTS, type FrequencyOptions } from './document-weights.js';
import { termsAt } from './term-spans.js';

const tokenizer = await Tokenizer.load(MINILM);
const words = new PieceWords(tokenizer);
const readerOf = (language: string) => ({
  words,
  analyzer: analyzerFor(language),
  start: tokenizer.specialTokens.cls!.id,
});

/** Rows of a text whose n-th word weighs the n-th of `weights`; its other pieces weigh something absurd. */
async function rowsOf(text: string, weights: number[]): Promise<number[]> {
  const { ids } = await tokenizer.encodeBatch([text]);
  const firsts = words.of(ids).map(({ first }) => first);
  return Array.from(ids).flatMap((id, token) => [id, weights[firsts.indexOf(token)] ?? 77]);
}

const frequencies = async (
  passages: [string, number[]][],
  options: Partial<FrequencyOptions> = {},
  language = 'en',
): Promise<Record<string, number>> => {
  const rows = (await Promise.all(passages.map(([text, weights]) => rowsOf(text, weights)))).flat();
  const made = documentFrequencies(Float32Array.from(rows), readerOf(language), {
    ...FREQUENCY_DEFAULTS,
    ...options,
  });
  return Object.fromEntries(made);
};

test('the first piece stands for its word, stop words are none, below 0 and what rounds to 0 is left out', async () => {
  const passage: [string, number[]] = ['the hyperparathyroidism causes pains', [0.9, 0.25, -0.3, 0.00001]];
  expect(await frequencies([passage])).toEqual({ hyperparathyroid: 50 });
  expect(await frequencies([passage], { transform: 'linear' })).toEqual({ hyperparathyroid: 25 });
});

test('a word that stands twice has its greatest weight; stems are the same word', async () => {
  expect(await frequencies([['pain pains pained', [0.1, 0.64, 0.2]]], { transform: 'linear' })).toEqual({
    pain: 64,
  });
});

test('passages are added up, fade, are averaged, or the greatest counts', async () => {
  const passages: [string, number[]][] = [
    ['pain relief', [0.3, 0.5]],
    ['pain', [0.6]],
    ['', []],
  ];
  const made = (combine: FrequencyOptions['combine']) =>
    frequencies(passages, { transform: 'linear', combine });
  expect(await made('sum')).toEqual({ pain: 90, relief: 50 });
  expect(await made('decay')).toEqual({ pain: 60, relief: 50 });
  expect(await made('mean')).toEqual({ pain: 30, relief: 16 });
  expect(await made('max')).toEqual({ pain: 60, relief: 50 });
});

test('a text without words has no terms', async () => {
  expect(await frequencies([['', []]])).toEqual({});
  expect(await frequencies([['. , !', [1, 1, 1]]])).toEqual({});
});

test('a pair of Chinese characters weighs what its first does', async () => {
  const { ids } = await tokenizer.encodeBatch(['中国 pain']);
  expect(termsAt(ids, words, analyzerFor('cjk')).map(({ term }) => term)).toContain('中国');
  const made = await frequencies([['中国', [0.4, 0.9]]], { transform: 'linear' }, 'cjk');
  expect(made.中国).toBe(40);
});
