import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { proseSpans } from './prose.js';
import { sentenceSpans } from './sentences.js';
import { wordSpans } from './words.js';

const sentences = (text: string): string[] =>
  sentenceSpans(text).map(({ start, end }) => text.slice(start, end));
const words = (text: string): string[] => wordSpans(text).map(({ start, end }) => text.slice(start, end));

describe('sentences', () => {
  test.each([
    ['One ends. Another begins! Does it? Yes.', ['One ends.', 'Another begins!', 'Does it?', 'Yes.']],
    ['Dr. J. Smith et al. saw Fig. 3. It was red.', ['Dr. J. Smith et al. saw Fig. 3.', 'It was red.']],
    ['Use e.g. Node 3.5 or later. Done.', ['Use e.g. Node 3.5 or later.', 'Done.']],
    ['a study was made . the results were these .', ['a study was made .', 'the results were these .']],
    ['He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
    ['今天下雨。你去吗？不去！', ['今天下雨。', '你去吗？', '不去！']],
    ['他说：“走吧。”然后走了。', ['他说：“走吧。”', '然后走了。']],
    ['東京へ行く。楽しい！', ['東京へ行く。', '楽しい！']],
    ['A heading\n\nA text. - no list\n- one\n- two', ['A heading', 'A text.', '- no list', '- one', '- two']],
    ['see www.example.org for more', ['see www.example.org for more']],
    ['', []],
  ])('%j', (text, expected) => expect(sentences(text)).toEqual(expected));

  test('they hold every character that is not white space, in order', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aB. !?。！\n-"(…3字'), maxLength: 60 });
    fc.assert(
      fc.property(text, (given) => {
        const spans = sentenceSpans(given);
        expect(
          spans
            .map(({ start, end }) => given.slice(start, end))
            .join('')
            .replace(/\s/g, ''),
        ).toBe(given.replace(/\s/g, ''));
        for (const [i, { start, end }] of spans.entries()) {
          expect(end).toBeGreaterThan(start);
          if (i > 0) expect(start).toBeGreaterThanOrEqual(spans[i - 1].end);
          expect(given.slice(start, end).trim()).toBe(given.slice(start, end));
        }
      }),
    );
  });

  test('programs have none', () => {
    const text = 'Call it. Like so:\n\n```js\nconst a = b ? c : d; // What? Yes.\n```\n\nThat is all.';
    expect(proseSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      'Call it.',
      'Like so:',
      'That is all.',
    ]);
  });
});

test('words of languages with and without spaces', () => {
  expect(words("Don't stop, 3.5 (of) them…")).toEqual(["Don't", 'stop', '3.5', 'of', 'them']);
  expect(words('我们去北京。')).toEqual(['我们', '去', '北京']);
  expect(words('Größe naïve 東京タワー')).toEqual(['Größe', 'naïve', '東京タワー']);
});
