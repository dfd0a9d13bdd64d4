import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { beforeAll, expect, test } from 'vitest';
import { FirstTokens } from './first-tokens.js';
import { MINILM, tokenizerJsons } from './tokenizer.fixture.js';
import { parseTokenizerJson } from './tokenizer-files.js';

/** Variants of real tokenizers, by what they do to characters and where they split. */
let variants: Record<string, string>;
beforeAll(async () => {
  const { wordPiece, roberta, unigram } = await tokenizerJsons();
  const minilm = readFileSync(MINILM, 'utf8');
  variants = {
    minilm,
    'cased, accents kept': changed(minilm, {
      normalizer: { ...JSON.parse(minilm).normalizer, lowercase: false, strip_accents: false },
    }),
    'only clean': changed(minilm, {
      normalizer: { ...JSON.parse(minilm).normalizer, handle_chinese_chars: false, strip_accents: true },
    }),
    wordPiece,
    roberta,
    'a mask that takes the spaces before it': changed(roberta, {
      added_tokens: JSON.parse(roberta).added_tokens.map((token: { content: string }) => ({
        ...token,
        lstrip: token.content === '<mask>',
        rstrip: token.content === '<s>',
      })),
    }),
    'composed and compatible': changed(roberta, { normalizer: sequence(['NFKC', 'Lowercase']) }),
    unigram,
    'spaces joined': changed(unigram, {
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'NFC' },
          { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
          { type: 'Replace', pattern: { String: 'ab' }, content: '' },
          { type: 'Strip', strip_left: true, strip_right: true },
        ],
      },
    }),
    'not split at spaces': changed(unigram, {
      pre_tokenizer: { ...JSON.parse(unigram).pre_tokenizer, split: false },
    }),
    'whole text a word': changed(wordPiece, { pre_tokenizer: null }),
    'digits apart': changed(minilm, {
      normalizer: sequence(['NFD', 'StripAccents']),
      pre_tokenizer: {
        type: 'Sequence',
        pretokenizers: [{ type: 'Whitespace' }, { type: 'Digits', individual_digits: true }],
      },
    }),
  };
});

function changed(json: string, changes: Record<string, unknown>): string {
  return JSON.stringify({ ...JSON.parse(json), ...changes });
}

function sequence(types: string[]): unknown {
  return { type: 'Sequence', normalizers: types.map((type) => ({ type })) };
}

const PIECES = [
  ...['near', 'miss', 'misses', 'a', 'b', 'ab', 'x1', '42', "don't", "'s", 'é', 'e', 'ﬁ', 'Ω', 'ß', 'naïve'],
  ...[' ', '  ', '\n', '\t', '\u00a0', '\u3000', '.', ',', '[', ']', '[SEP]', '[SE', '<mask>', '<ma', '</s>'],
  ...['中', '文', 'の', 'ガ', 'ｶ', 'ﾞ', '한', 'ᄒ', 'ᅡ', 'ᆫ', 'ไ', 'ำ', 'हिन्दी', '🙂', '👩‍🚀', '\u0600'],
  ...['\u0301', '\u0316', '\u0000', '\u0001', '\u200b', '\u200d', '\ufffd', '\u00ad', '▁'],
];

/** Pieces, some of them many times over: a frontier may fall into any of them. */
const longText = fc
  .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(1, 1, 1, 1, 2, 7, 40)), {
    minLength: 1,
    maxLength: 40,
  })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(''));

const piece = fc.constantFrom(...PIECES);

/** As many tokens as characters up to the cut, and something there that more of the text may change. */
const trickyAtTheCut = fc
  .tuple(
    fc.constantFrom('a.', 'b ', '中', 'a.b '),
    fc.integer({ min: 15, max: 70 }),
    fc.array(fc.tuple(piece, fc.constantFrom(1, 1, 2, 40)), { minLength: 1, maxLength: 4 }),
    fc.array(piece, { maxLength: 40 }),
  )
  .map(([filler, length, tricky, rest]) => {
    const middle = tricky.map(([one, times]) => one.repeat(times)).join('');
    return `${filler.repeat(length).slice(0, length)}${middle}${rest.join('')}${filler.repeat(30)}`;
  });

/** The last mark makes an é of the e before them all. */
const MARKS_THAT_COMPOSE_LATE = `${'b.'.repeat(12)}e${'\u0316'.repeat(60)}\u0301${'b.'.repeat(30)}`;

/** Little enough that most texts are cut, and that the first tokens reach up to the cut. */
const charactersPerToken = fc.constantFrom(0, 0, 0.5, 3);

test('the first tokens are those of the whole text, whatever the tokenizer and the text', async () => {
  for (const [name, json] of Object.entries(variants)) {
    const native = NativeTokenizer.fromString(json);
    native.disablePadding();
    native.disableTruncation();
    const parsed = parseTokenizerJson(json, name);
    await fc.assert(
      fc.asyncProperty(fc.oneof(longText, trickyAtTheCut), charactersPerToken, async (text, perToken) => {
        const first = new FirstTokens(native, parsed, { charactersPerToken: perToken });
        const whole = (await native.encode(text, null, { addSpecialTokens: false })).getIds();
        for (const room of [0, 3, 40]) {
          const read: number[][] = [];
          await first.read({ count: 1, textAt: () => text, room }, (ids) => read.push(ids));
          expect(read[0].length).toBeGreaterThanOrEqual(Math.min(room, whole.length));
          expect(read, `${name}: ${JSON.stringify(text)}`).toEqual([whole.slice(0, read[0].length)]);
        }
      }),
      { numRuns: 150, examples: [[MARKS_THAT_COMPOSE_LATE, 0]] },
    );
  }
});
