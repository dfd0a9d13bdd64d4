import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AutoTokenizer, env } from '@huggingface/transformers';
import fc from 'fast-check';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { beforeAll, describe, expect, test } from 'vitest';
import { readOracle } from '../../test/oracles.fixture.js';
import { cpuSeconds } from '../base/cpu-seconds.fixture.js';
import { truncatePair } from './template.js';
import { batchCount, tokensAt } from './token-batch.js';
import { MINILM, tokenizerJsons, withFolder } from './tokenizer.fixture.js';
import { type TextPair, Tokenizer } from './tokenizer.js';

let minilm: Tokenizer;
let jsons: Awaited<ReturnType<typeof tokenizerJsons>>;
beforeAll(async () => {
  minilm = await Tokenizer.load(MINILM);
  jsons = await tokenizerJsons();
});

describe('encodeBatch', () => {
  test('gives the tokens of the oracle (oracles/minilm)', async () => {
    const expected = readOracle<{ text: string; tokens: number; first_ids: number[] }[]>(
      'minilm',
      'expected.json',
    );
    const texts = expected.map(({ text }) => text);
    // Its longest text is as long as the model reads.
    const maxLength = Math.max(...expected.map(({ tokens }) => tokens));
    const batch = await minilm.encodeBatch(texts, { maxLength });
    expect(batchCount(batch)).toBe(expected.length);
    expected.forEach(({ tokens, first_ids }, i) => {
      const got = tokensAt(batch, i);
      expect(got.length).toBe(tokens);
      expect([...got.subarray(0, first_ids.length)]).toEqual(first_ids);
    });
  });

  test('cuts as the library itself does, whatever the kind of tokenizer', async () => {
    for (const json of [...Object.values(jsons), readFileSync(MINILM, 'utf8')]) {
      const tokenizer = await Tokenizer.fromJson(json);
      await fc.assert(
        fc.asyncProperty(
          fc.array(textArbitrary, { maxLength: 5 }),
          lengthArbitrary,
          async (texts, maxLength) => {
            const native = nativeCutTo(json, maxLength);
            const batch = await tokenizer.encodeBatch(texts, { maxLength });
            expect(batchCount(batch)).toBe(texts.length);
            for (let i = 0; i < texts.length; i++) {
              expect([...tokensAt(batch, i)]).toEqual((await native.encode(texts[i])).getIds());
            }
          },
        ),
        { numRuns: 20 },
      );
    }
  });

  test('keeps everything without a maximum, and the final special token with one', async () => {
    const long = 'miss '.repeat(1000);
    expect((await minilm.encodeBatch([long])).ids).toHaveLength(1002);
    const { ids } = await minilm.encodeBatch([long], { maxLength: 7 });
    expect([...ids]).toEqual([101, 3335, 3335, 3335, 3335, 3335, 102]);
    expect([...(await minilm.encodeBatch(['', 'miss'], { maxLength: 2 })).ids]).toEqual([101, 102, 101, 102]);
    expect([...(await minilm.encodeBatch([])).offsets]).toEqual([0]);
  });

  test('of a text that is far too long only the beginning is read', async () => {
    const parts = ['near misses, ', '中文', '. ', 'don’t [SEP] ', 'a'.repeat(99).concat(' ')];
    const ofLength = (characters: number): string[] =>
      parts.map((part) => part.repeat(Math.ceil(characters / part.length)));
    const texts = ofLength(1e6);
    const batch = await minilm.encodeBatch(texts, { maxLength: 32 });
    // Less than a hundredth of them takes as a whole.
    const little = await cpuSeconds(() => minilm.encodeBatch(ofLength(1e4)));
    expect(await cpuSeconds(() => minilm.encodeBatch(texts, { maxLength: 32 }))).toBeLessThan(little);
    for (const [i, text] of texts.entries()) {
      expect(tokensAt(batch, i)).toEqual(
        (await minilm.encodeBatch([text.slice(0, 5000)], { maxLength: 32 })).ids,
      );
    }
    const { ids } = await minilm.encodePairs([['near', texts[0]]], { maxLength: 16 });
    expect(ids).toHaveLength(16);
  });

  test('a batch larger than what is encoded at once equals its parts', async () => {
    const texts = Array.from({ length: 1300 }, (_, i) => `near miss ${i}`);
    const whole = await minilm.encodeBatch(texts);
    for (const i of [0, 511, 512, 1299]) {
      expect(tokensAt(whole, i)).toEqual((await minilm.encodeBatch([texts[i]])).ids);
    }
  });

  test('calls with different lengths do not disturb each other', async () => {
    const text = 'miss '.repeat(500);
    const lengths = Array.from({ length: 30 }, (_, i) => 3 + i);
    const batches = await Promise.all(lengths.map((maxLength) => minilm.encodeBatch([text], { maxLength })));
    expect(batches.map(({ ids }) => ids.length)).toEqual(lengths);
  });

  test('reads a lone surrogate as U+FFFD', async () => {
    const roberta = await Tokenizer.fromJson(jsons.roberta);
    const [broken, replaced] = await Promise.all([
      roberta.encodeBatch(['a\ud83d b']),
      roberta.encodeBatch(['a\ufffd b']),
    ]);
    expect(broken).toEqual(replaced);
    expect(broken.ids.length).toBeGreaterThan(4);
  });

  test('names the text that is none, and the length that cannot be', async () => {
    const wrong = ['a', null] as unknown as string[];
    await expect(minilm.encodeBatch(wrong)).rejects.toThrow(
      'text 1 of the batch: expected a string, got null',
    );
    const wrongPair = [
      ['a', 'b'],
      ['c', 7],
    ] as unknown as TextPair[];
    await expect(minilm.encodePairs(wrongPair)).rejects.toThrow(
      'pair 1, second text of the batch: expected a string, got a number (7)',
    );
    for (const maxLength of [1, 2.5, Number.NaN, -3]) {
      await expect(minilm.encodeBatch(['a'], { maxLength })).rejects.toThrow(
        'at least 2 (the special tokens)',
      );
    }
  });
});

describe('encodePairs', () => {
  test('equals the library, ids and segments, whatever the kind of tokenizer', async () => {
    const pairArbitrary = fc.tuple(textArbitrary, textArbitrary);
    // An even number of tokens to share: to whom an odd one goes depends on the library's version.
    const roomArbitrary = fc.integer({ min: 0, max: 5 }).map((half) => 2 * half);
    for (const json of [...Object.values(jsons), readFileSync(MINILM, 'utf8')]) {
      const tokenizer = await Tokenizer.fromJson(json);
      await fc.assert(
        fc.asyncProperty(fc.array(pairArbitrary, { maxLength: 4 }), roomArbitrary, async (pairs, room) => {
          const maxLength = room + (json === jsons.roberta || json === jsons.unigram ? 4 : 3);
          const native = nativeCutTo(json, maxLength);
          const batch = await tokenizer.encodePairs(pairs, { maxLength });
          expect(batchCount(batch)).toBe(pairs.length);
          for (let i = 0; i < pairs.length; i++) {
            const expected = await native.encode(...pairs[i]);
            expect([...tokensAt(batch, i)]).toEqual(expected.getIds());
            const types = batch.typeIds.subarray(batch.offsets[i], batch.offsets[i + 1]);
            expect([...types]).toEqual(expected.getTypeIds());
          }
        }),
        { numRuns: 20 },
      );
    }
  });

  test('BERT marks the second text, RoBERTa does not', async () => {
    const bert = await minilm.encodePairs([['near', 'miss']]);
    expect([...bert.ids]).toEqual([101, 2379, 102, 3335, 102]);
    expect([...bert.typeIds]).toEqual([0, 0, 0, 1, 1]);
    const roberta = await (await Tokenizer.fromJson(jsons.roberta)).encodePairs([['miss', 'miss']]);
    expect([...roberta.typeIds]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

test('cuts the longer text first, then both', () => {
  const cut = (first: number, second: number, room: number) => truncatePair({ first, second }, room);
  expect(cut(3, 4, 7)).toEqual([3, 4]);
  expect(cut(3, 40, 7)).toEqual([3, 4]);
  expect(cut(40, 3, 7)).toEqual([4, 3]);
  expect(cut(30, 40, 7)).toEqual([3, 4]);
  expect(cut(40, 30, 7)).toEqual([4, 3]);
  expect(cut(40, 0, 7)).toEqual([7, 0]);
  expect(cut(1, 1, 0)).toEqual([0, 0]);
  expect(cut(5, 5, Number.POSITIVE_INFINITY)).toEqual([5, 5]);
});

describe('what it knows about itself', () => {
  test('vocabulary size and special tokens', async () => {
    expect(minilm.vocabularySize).toBe(30522);
    expect(minilm.specialTokens).toEqual({
      cls: { token: '[CLS]', id: 101 },
      sep: { token: '[SEP]', id: 102 },
      pad: { token: '[PAD]', id: 0 },
      mask: { token: '[MASK]', id: 103 },
      unk: { token: '[UNK]', id: 100 },
    });
    const roberta = await Tokenizer.fromJson(jsons.roberta);
    expect(roberta.vocabularySize).toBe(264);
    expect(roberta.specialTokens.cls).toEqual({ token: '<s>', id: 0 });
    expect(roberta.specialTokens.mask).toEqual({ token: '<mask>', id: 263 });
    expect(roberta.padId).toBe(1);
    const unigram = await Tokenizer.fromJson(jsons.unigram);
    expect(unigram.specialTokens.unk).toEqual({ token: '<unk>', id: 3 });
    expect(unigram.vocabularySize).toBe(9);
    expect([minilm.specialCount, roberta.specialCount, unigram.specialCount]).toEqual([2, 2, 2]);
  });

  test('the companions of tokenizer.json come before the usual names', async () => {
    await withFolder(async (folder) => {
      await writeFile(join(folder, 'tokenizer.json'), jsons.wordPiece);
      await writeFile(join(folder, 'tokenizer_config.json'), '{"sep_token": "near", "model_max_length": 77}');
      await writeFile(
        join(folder, 'special_tokens_map.json'),
        '{"cls_token": {"content": "miss"}, "pad_token": "x"}',
      );
      const { specialTokens, maxLength } = await Tokenizer.load(folder);
      expect(specialTokens.cls).toEqual({ token: 'miss', id: 6 });
      expect(specialTokens.sep).toEqual({ token: 'near', id: 5 });
      expect(specialTokens.pad).toEqual({ token: '[PAD]', id: 0 });
      expect(maxLength).toBe(77);
    });
  });

  test('tokens, ids and texts', async () => {
    expect(minilm.token(3335)).toBe('miss');
    expect(minilm.token(30522)).toBeUndefined();
    expect(minilm.id('miss')).toBe(3335);
    expect(minilm.id('no such token')).toBeUndefined();
    const { ids } = await minilm.encodeBatch(['A near miss!']);
    expect(await minilm.decode(ids)).toBe('a near miss!');
    expect(await minilm.decode(ids, { keepSpecialTokens: true })).toBe('[CLS] a near miss! [SEP]');
  });
});

describe('save', () => {
  test('is lossless and can be repeated', async () => {
    await withFolder(async (folder) => {
      await minilm.save(folder, { maxLength: 256 });
      expect(readFileSync(MINILM).equals(await readFile(join(folder, 'tokenizer.json')))).toBe(true);
      const again = await Tokenizer.load(folder);
      expect(again.fingerprint).toBe(minilm.fingerprint);
      expect(again.maxLength).toBe(256);
      expect(again.specialTokens).toEqual(minilm.specialTokens);
      const config = await readFile(join(folder, 'tokenizer_config.json'), 'utf8');
      expect(JSON.parse(config)).toMatchObject({ tokenizer_class: 'BertTokenizer', do_lower_case: true });
      await again.save(join(folder, 'copy'));
      expect(await readFile(join(folder, 'copy', 'tokenizer_config.json'), 'utf8')).toBe(config);
    });
  });

  test('keeps what others wrote into the companions', async () => {
    await withFolder(async (folder) => {
      const config = '{"tokenizer_class":"MPNetTokenizer",  "cls_token":"[CLS]","extra":1}';
      await writeFile(join(folder, 'tokenizer.json'), jsons.wordPiece);
      await writeFile(join(folder, 'tokenizer_config.json'), config);
      await writeFile(join(folder, 'special_tokens_map.json'), '{"mask_token":"[MASK]"}');
      const tokenizer = await Tokenizer.load(folder);
      await tokenizer.save(join(folder, 'a'));
      expect(await readFile(join(folder, 'a', 'tokenizer_config.json'), 'utf8')).toBe(config);
      expect(await readFile(join(folder, 'a', 'special_tokens_map.json'), 'utf8')).toBe(
        '{"mask_token":"[MASK]"}',
      );
      await tokenizer.save(join(folder, 'b'), { maxLength: 64 });
      const changed = JSON.parse(await readFile(join(folder, 'b', 'tokenizer_config.json'), 'utf8'));
      expect(changed).toEqual({ ...JSON.parse(config), model_max_length: 64 });
    });
  });

  test('Transformers.js loads it and agrees, for WordPiece and byte-level BPE', async () => {
    env.allowRemoteModels = false;
    const texts = ['A near miss, mind you: naïve café 中文!', 'missing\n\tmisses 🙂', ''];
    for (const [name, json] of [
      ['minilm', readFileSync(MINILM, 'utf8')],
      ['wordPiece', jsons.wordPiece],
      ['roberta', jsons.roberta],
    ]) {
      await withFolder(async (folder) => {
        const tokenizer = await Tokenizer.fromJson(json);
        await tokenizer.save(join(folder, name), { maxLength: 64 });
        env.localModelPath = folder;
        const other = await AutoTokenizer.from_pretrained(name);
        const batch = await tokenizer.encodeBatch(texts);
        texts.forEach((text, i) => {
          expect([...tokensAt(batch, i)], `${name}: ${text}`).toEqual(other.encode(text));
        });
      });
    }
  });
});

describe('load', () => {
  test('takes the file or its folder', async () => {
    const fromFolder = await Tokenizer.load(resolve(MINILM, '..'));
    expect(fromFolder.fingerprint).toBe(minilm.fingerprint);
  });

  test('says what is missing or broken', async () => {
    await withFolder(async (folder) => {
      await expect(Tokenizer.load(folder)).rejects.toThrow(/tokenizer\.json: no such file/);
      const file = join(folder, 'tokenizer.json');
      await writeFile(file, '{"model": ');
      await expect(Tokenizer.load(file)).rejects.toThrow(/tokenizer\.json: not valid JSON/);
      await writeFile(file, '{"model": {"type": "WordPiece"}}');
      await expect(Tokenizer.load(file)).rejects.toThrow(/tokenizer\.json: field "model.vocab"/);
      await writeFile(file, '{"model": {"type": "Strange", "vocab": {"a": 0}}}');
      await expect(Tokenizer.load(file)).rejects.toThrow(/tokenizer\.json: not a tokenizer: /);
      await writeFile(file, jsons.wordPiece);
      await writeFile(join(folder, 'tokenizer_config.json'), '[');
      await expect(Tokenizer.load(file)).rejects.toThrow(/tokenizer_config\.json: not valid JSON/);
      await mkdir(join(folder, 'deep'));
      await expect(Tokenizer.load(join(folder, 'deep', 'none'))).rejects.toThrow(/none: no such file/);
    });
  });
});

const lengthArbitrary = fc.integer({ min: 4, max: 12 });
const textArbitrary = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.constantFrom('near', 'miss', 'misses', 'ab', 'b', '中', ' ', '.', '[SEP]', '</s>'), {
      maxLength: 20,
    })
    .map((parts) => parts.join(' ')),
);

function nativeCutTo(json: string, maxLength: number): NativeTokenizer {
  const native = NativeTokenizer.fromString(json);
  native.disablePadding();
  native.setTruncation(maxLength);
  return native;
}
