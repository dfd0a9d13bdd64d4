import { describe, expect, test } from 'vitest';
import { MINILM, tokenizerJsons } from './tokenizer.fixture.js';
import { Tokenizer } from './tokenizer.js';
import { trainTokenizer } from './train-tokenizer.js';
import { numberWords } from './word-tokens.js';

describe('which tokens are one word', () => {
  test.each([
    ['a near miss', [0, 2, 7], [0, 1, 2]],
    ["don't stop", [0, 3, 4, 6], [0, 0, 0, 1]],
    ['(ab, c)', [0, 1, 2, 3, 5, 6], [0, 1, 1, 2, 3, 4]],
    ['!!', [0, 1], [0, 1]],
    ['𝒳𝒴 z', [0, 1, 3], [0, 0, 1]],
    ['', [], []],
  ])('%j', (text, starts, words) => {
    expect([...numberWords(text, starts)]).toEqual(words);
  });

  test('pieces of WordPiece together, special tokens apart, cut as encodeBatch cuts', async () => {
    const tokenizer = await Tokenizer.load(MINILM);
    const texts = ['Hypophosphatasia is rare.', 'x', ''];
    for (const maxLength of [64, 5]) {
      const read = await tokenizer.encodeWords(texts, { maxLength });
      const { ids, offsets } = await tokenizer.encodeBatch(texts, { maxLength });
      read.forEach((tokens, i) => {
        expect([...tokens.ids]).toEqual([...ids.subarray(offsets[i], offsets[i + 1])]);
        expect([tokens.words[0], tokens.words.at(-1)]).toEqual([-1, -1]);
      });
    }
    const [{ ids, words }] = await tokenizer.encodeWords(texts);
    const pieces = [...words].filter((word) => word === 0).length;
    expect(pieces).toBeGreaterThan(2);
    expect(ids).toHaveLength(2 + pieces + 3);
  });

  test('characters of a Chinese word together', async () => {
    const text = '长江是中国最长的河流。';
    async function* texts() {
      for (let i = 0; i < 5; i++) yield text;
    }
    const tokenizer = await trainTokenizer(texts(), { vocabularySize: 100, quiet: true });
    const [{ ids, words }] = await tokenizer.encodeWords([text]);
    const found = new Map<number, string>();
    words.forEach((word, i) => {
      if (word >= 0) found.set(word, (found.get(word) ?? '') + tokenizer.token(ids[i])!.replace('##', ''));
    });
    expect([...found.values()].join('')).toBe(text);
    expect([...found.values()]).toContain('中国');
    expect([...found.values()]).toContain('河流');
  });

  test('byte-level tokens', async () => {
    const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).roberta);
    const [{ ids, words }] = await tokenizer.encodeWords(['near miss']);
    expect(words).toHaveLength(ids.length);
    expect(new Set(words).size).toBe(3);
  });
});
