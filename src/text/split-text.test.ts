import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuSeconds } from '../base/cpu-seconds.fixture.js';
import { splitText, wordCount } from './split-text.js';

const wordArbitrary = fc.constantFrom('a', 'near', 'miss.', 'Nearer?', 'misses,', 'well-known', 'Dr.');
const spaceArbitrary = fc.constantFrom(' ', ' ', ' ', '\n', '\n\n', '\n \n\n', '\t');
const textArbitrary = fc
  .array(fc.tuple(wordArbitrary, spaceArbitrary), { maxLength: 120 })
  .map((parts) => parts.flat().join(''));

const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);

describe('splitText', () => {
  test('no passage is too long or empty, no word is cut or lost, and overlap is exact', () => {
    const options = fc
      .integer({ min: 1, max: 30 })
      .chain((maxWords) =>
        fc.record({ maxWords: fc.constant(maxWords), overlap: fc.nat(Math.floor(maxWords / 2)) }),
      );
    fc.assert(
      fc.property(textArbitrary, options, (text, { maxWords, overlap }) => {
        const passages = splitText(text, { maxWords, overlap });
        const rebuilt: string[] = [];
        for (const [i, passage] of passages.entries()) {
          const own = words(passage);
          expect(passage).toBe(passage.trim());
          expect(text).toContain(passage);
          expect(own.length).toBeGreaterThan(0);
          expect(own.length).toBeLessThanOrEqual(maxWords);
          if (i > 0) expect(own.slice(0, overlap)).toEqual(rebuilt.slice(rebuilt.length - overlap));
          rebuilt.push(...own.slice(i > 0 ? overlap : 0));
        }
        expect(rebuilt).toEqual(words(text));
        expect(wordCount(text)).toBe(rebuilt.length);
      }),
      { numRuns: 300 },
    );
  });

  test('any text at all: in order, nothing lost but white space', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 1, max: 9 }),
        (text, maxWords) => {
          const passages = splitText(text, { maxWords });
          expect(passages.join('').replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
          for (const passage of passages) expect(wordCount(passage)).toBeLessThanOrEqual(maxWords);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('prefers the end of a paragraph to that of a sentence, a line, a word', () => {
    const six = 'One two three four five six.';
    expect(splitText(`${six}\n\n${six} ${six}`, { maxWords: 10 })).toEqual([six, six, six]);
    expect(splitText(`${six} ${six}`, { maxWords: 10 })).toEqual([six, six]);
    expect(splitText('a b c d e f\ng h i j k l', { maxWords: 8 })).toEqual(['a b c d e f', 'g h i j k l']);
    expect(splitText('a b c d e.\nf g\nh i j', { maxWords: 8 })).toEqual(['a b c d e.', 'f g\nh i j']);
    expect(splitText('a b c d e f g h i j k l', { maxWords: 8 })).toEqual(['a b c d e f g h', 'i j k l']);
  });

  test('leaves no short rest', () => {
    const lengths = splitText('w '.repeat(201), { maxWords: 200 }).map(wordCount);
    expect(lengths).toEqual([151, 50]);
  });

  test('Chinese is counted and cut by words and sentences, without spaces', () => {
    const sentence = '今天天气很好,我们去公园散步\uff01”';
    const text = sentence.repeat(10);
    const perSentence = wordCount(sentence);
    expect(perSentence).toBeGreaterThan(5);
    expect(wordCount(text)).toBe(10 * perSentence);
    const passages = splitText(text, { maxWords: 2 * perSentence + 1 });
    expect(passages.length).toBeGreaterThanOrEqual(5);
    for (const passage of passages) expect(passage.endsWith('\uff01”')).toBe(true);
    expect(passages.join('')).toBe(text);
  });

  test('takes time in proportion to a long text without spaces', async () => {
    const secondsOf = (clauses: number): Promise<number> => {
      const text = '今天天气很好。'.repeat(clauses);
      return cpuSeconds(() => expect(splitText(text, { maxWords: 100 }).join('')).toBe(text));
    };
    // Sixteen times the text; 256 times as long if the segmenter got it as a whole.
    expect((await secondsOf(16_000)) / (await secondsOf(1_000))).toBeLessThan(64);
  });

  test('nothing in, nothing out', () => {
    expect(splitText('', { maxWords: 5 })).toEqual([]);
    expect(splitText(' \n\n ', { maxWords: 5 })).toEqual([]);
  });

  test('refuses lengths that cannot be', () => {
    expect(() => splitText('a', { maxWords: 0 })).toThrow('maxWords: expected a whole number of at least 1');
    expect(() => splitText('a', { maxWords: 10, overlap: 6 })).toThrow(
      'overlap: expected a whole number from 0 to 5',
    );
    expect(() => splitText('a', { maxWords: 10, overlap: -1 })).toThrow('overlap');
  });
});
