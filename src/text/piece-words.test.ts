import { expect, test } from 'vitest';
import { PieceWords } from './piece-words.js';
import { MINILM } from './tokenizer.fixture.js';
import { Tokenizer } from './tokenizer.js';

const words = async (text: string) => {
  const tokenizer = await Tokenizer.load(MINILM);
  const { ids } = await tokenizer.encodeBatch([text]);
  return new PieceWords(tokenizer).of(ids);
};

test('pieces become words, at the token that they begin with; special tokens belong to none', async () => {
  expect(await words('Hyperparathyroidism is treatable.')).toEqual([
    { text: 'hyperparathyroidism', first: 1 },
    { text: 'is', first: expect.any(Number) },
    { text: 'treatable', first: expect.any(Number) },
    { text: '.', first: expect.any(Number) },
  ]);
});

test('a text that was cut within a word keeps the beginning of it, one that begins within a word its rest', async () => {
  const tokenizer = await Tokenizer.load(MINILM);
  const reader = new PieceWords(tokenizer);
  const ids = ['##para', '##thy', 'near'].map((token) => tokenizer.id(token)!);
  expect(reader.of(ids)).toEqual([
    { text: 'parathy', first: 0 },
    { text: 'near', first: 2 },
  ]);
  expect(reader.of([])).toEqual([]);
});

test('Chinese characters are words of their own', async () => {
  expect((await words('中国人')).map(({ text }) => text)).toEqual(['中', '国', '人']);
});
