import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { bertNormalizer, bertPreTokenizer } from 'tokenizers';
import { describe, expect, test } from 'vitest';
import { tokensAt } from './token-batch.js';
import { withFolder } from './tokenizer.fixture.js';
import { Tokenizer } from './tokenizer.js';
import { trainTokenizer } from './train-tokenizer.js';
import { countWords } from './word-counts.js';
import { learnVocabulary } from './wordpiece-vocabulary.js';

const shared = resolve(import.meta.dirname, '../../../shared/data');
const quiet = { quiet: true };

/** Blocks that got punctuation after Unicode 11, which the library and Node.js need not know alike. */
const RECENT_PUNCTUATION =
  /[\u061d\u1b4e-\u1b7f\u2e4f-\u2e7f\u{10d40}-\u{11fff}\u{12ff0}-\u{12fff}\u{16d40}-\u{16fff}\u{1e000}-\u{1ffff}]/u;

describe('countWords', () => {
  test('splits words where the library does', async () => {
    const normalizer = bertNormalizer({ lowercase: true });
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('a', 'É', '中', ' ', '\n', '.', '$', '+', '“', '\u0085', '\ufeff', '　'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        fc.pre(!RECENT_PUNCTUATION.test(text));
        const expected = new Map<string, number>();
        for (const [word] of bertPreTokenizer().preTokenizeString(normalizer.normalizeString(text))) {
          expected.set(word, (expected.get(word) ?? 0) + 1);
        }
        expect(await countWords([text], { normalizer, ...quiet })).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  test('leaves out words that WordPiece gives up on', async () => {
    const words = await countWords(['a'.repeat(101), 'b'.repeat(100), '𐐷'.repeat(100)], {
      normalizer: bertNormalizer({ lowercase: false }),
      ...quiet,
    });
    expect([...words.keys()].map((word) => [...word][0])).toEqual(['b', '𐐷']);
  });
});

describe('learnVocabulary', () => {
  test('merges the same pairs as counting everything anew after each merge', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 });
    const counts = fc.uniqueArray(fc.tuple(word, fc.integer({ min: 1, max: 4 })), {
      selector: ([text]) => text,
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        counts,
        fc.integer({ min: 6, max: 30 }),
        fc.integer({ min: 1, max: 3 }),
        (entries, size, minFrequency) => {
          const options = { size, minFrequency, characterCoverage: 1 };
          expect(learnVocabulary(new Map(entries), options)).toEqual(naiveVocabulary(entries, options));
          expect(learnVocabulary(new Map(entries.toReversed()), options)).toEqual(
            naiveVocabulary(entries, options),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('keeps the most frequent characters that fit', () => {
    const counts = new Map([
      ['ab', 90],
      ['c', 9],
      ['d', 1],
    ]);
    const learn = (size: number, characterCoverage: number) =>
      learnVocabulary(counts, { size, characterCoverage, minFrequency: 1000 });
    expect(learn(100, 1)).toEqual(['a', 'b', 'c', 'd', '##b']);
    expect(learn(100, 0.98)).toEqual(['a', 'b', 'c', '##b']);
    expect(learn(3, 1)).toEqual(['a', 'b', '##b']);
  });
});

describe('trainTokenizer', () => {
  const texts = [
    'A near miss is a near miss.',
    'Nearest misses, nearer missing!',
    'Missing the nearest 中文 miss é',
  ];

  test('numbers the special tokens 0 to 4 and knows the words it saw', async () => {
    const tokenizer = await trainTokenizer(texts, { vocabularySize: 60, ...quiet });
    const { pad, unk, cls, sep, mask } = tokenizer.specialTokens;
    expect([pad, unk, cls, sep, mask].map((token) => token?.id)).toEqual([0, 1, 2, 3, 4]);
    expect(tokenizer.vocabularySize).toBeLessThanOrEqual(60);
    const { ids } = await tokenizer.encodeBatch(['Near MISS 中']);
    expect(Array.from(ids, (id) => tokenizer.token(id))).toEqual(['[CLS]', 'near', 'miss', '中', '[SEP]']);
    expect([...(await tokenizer.encodeBatch(['☃'])).ids]).toEqual([2, 1, 3]);
    const pair = await tokenizer.encodePairs([['near', 'miss']]);
    expect([...pair.typeIds]).toEqual([0, 0, 0, 1, 1]);
  });

  test('keeps case and accents when asked to', async () => {
    const options = { vocabularySize: 60, characterCoverage: 1, ...quiet };
    const cased = await trainTokenizer(texts, { ...options, lowercase: false });
    expect(cased.id('N')).toBeDefined();
    expect(cased.id('é')).toBeDefined();
    const uncased = await trainTokenizer(texts, options);
    expect(uncased.id('N')).toBeUndefined();
    expect(uncased.id('é')).toBeUndefined();
  });

  test('gives the same tokenizer whatever the order of the texts, and after saving', async () => {
    const tokenizer = await trainTokenizer(texts, { vocabularySize: 50, ...quiet });
    const other = await trainTokenizer(texts.toReversed(), { vocabularySize: 50, ...quiet });
    expect(other.fingerprint).toBe(tokenizer.fingerprint);
    await withFolder(async (folder) => {
      await tokenizer.save(folder, { maxLength: 32 });
      const loaded = await Tokenizer.load(folder);
      expect(loaded.fingerprint).toBe(tokenizer.fingerprint);
      expect(await loaded.encodeBatch(texts)).toEqual(await tokenizer.encodeBatch(texts));
    });
  });

  test('refuses what cannot be', async () => {
    await expect(trainTokenizer([], quiet)).rejects.toThrow('the texts hold no words');
    await expect(trainTokenizer(texts, { vocabularySize: 6, ...quiet })).rejects.toThrow(
      'vocabularySize: expected a whole number of at least 7, got a number (6)',
    );
    await expect(trainTokenizer(texts, { minFrequency: 0, ...quiet })).rejects.toThrow('minFrequency');
    await expect(trainTokenizer(texts, { characterCoverage: 0, ...quiet })).rejects.toThrow(
      'characterCoverage',
    );
  });

  for (const [set, vocabularySize] of [
    ['scifact', 8000],
    ['zh-cmrc-drcd', 8000],
  ] as const) {
    const corpus = resolve(shared, set, 'corpus.jsonl');
    test.skipIf(!existsSync(corpus))(`leaves little unknown of ${set} (needs ../shared/data)`, async () => {
      const tokenizer = await trainTokenizer(textsOf(corpus), { vocabularySize, ...quiet });
      expect(tokenizer.vocabularySize).toBe(vocabularySize);
      const sample: string[] = [];
      for await (const text of textsOf(corpus)) if (sample.push(text) === 500) break;
      const batch = await tokenizer.encodeBatch(sample);
      const unknown = batch.ids.filter((id) => id === tokenizer.specialTokens.unk?.id).length;
      expect(unknown / batch.ids.length).toBeLessThan(0.001);
      expect(tokensAt(batch, 0).length).toBeGreaterThan(10);
    });
  }
});

async function* textsOf(corpus: string): AsyncGenerator<string> {
  for await (const line of createInterface({ input: createReadStream(corpus) })) yield JSON.parse(line).text;
}

/** The algorithm in its plainest form. */
function naiveVocabulary(
  entries: [string, number][],
  { size, minFrequency }: { size: number; minFrequency: number },
): string[] {
  const words = entries.map(([text, count]) => ({
    parts: [...text].map((c, i) => (i ? `##${c}` : c)),
    count,
  }));
  const tokens = learnVocabulary(new Map(entries), { size, minFrequency: Infinity, characterCoverage: 1 });
  const known = words.filter(({ parts }) => parts.every((part) => tokens.includes(part)));
  while (tokens.length < size) {
    const pairs = new Map<string, number>();
    for (const { parts, count } of known) {
      for (let i = 1; i < parts.length; i++) {
        const key = `${parts[i - 1]} ${parts[i]}`;
        pairs.set(key, (pairs.get(key) ?? 0) + count);
      }
    }
    const order = (key: string) => key.split(' ').map((part) => tokens.indexOf(part));
    const best = [...pairs].sort(([a, m], [b, n]) => {
      const [x, y] = [order(a), order(b)];
      return n - m || x[0] - y[0] || x[1] - y[1];
    })[0];
    if (!best || best[1] < minFrequency) break;
    const [left, right] = best[0].split(' ');
    const merged = left + right.slice(2);
    if (!tokens.includes(merged)) tokens.push(merged);
    for (const word of known) {
      const parts: string[] = [];
      for (let i = 0; i < word.parts.length; i++) {
        if (word.parts[i] === left && word.parts[i + 1] === right) {
          parts.push(merged);
          i++;
        } else parts.push(word.parts[i]);
      }
      word.parts = parts;
    }
  }
  return tokens;
}
