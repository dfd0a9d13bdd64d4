import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { defaultOptions } from './default-options.js';
import type { MadePair, PairMaker, PairSource } from './pair-maker.js';

/** All that a maker makes of a source. */
export function pairsOf(maker: PairMaker, source: PairSource, seed = 1, options = {}): MadePair[] {
  const all = { ...defaultOptions(maker), ...options };
  return [...maker.make(source, Random.from(seed, 'test'), all as never)];
}

const WORDS = 'near miss Paris 1984 river deep learning of the index 北京 查询 token? query! Rome.'.split(
  ' ',
);
const text = fc
  .array(fc.constantFrom(...WORDS, '\n\n', '```js\nx ? y : z\n```', 'Why is that?', '为什么？'), {
    maxLength: 80,
  })
  .map((words) => words.join(' '));
const title = fc.constantFrom('', 'Rivers', 'What is a river?', 'List of rivers', '河流');

/** Files of a few passages, with and without titles, headings and links. */
export const anySource: fc.Arbitrary<PairSource> = fc
  .record({
    title,
    passages: fc.array(
      fc.record({
        text,
        headings: fc.subarray(['Deep rivers of Europe', 'Use', 'Why is it deep?']),
        links: fc.array(
          fc.record({
            text: fc.constantFrom('the great index', 'here', 'river'),
            target: fc.integer({ min: 0, max: 20 }),
            to: fc.constant('a.md'),
          }),
          { maxLength: 3 },
        ),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  })
  .map(({ title: own, passages }) => ({
    title: own,
    passages: passages.map((passage, i) => ({ ...passage, number: 10 + i, title: own })),
  }));

/** What holds for every pair maker. */
export function pairMakerConformance(maker: PairMaker, example: PairSource): void {
  describe(`pair maker ${maker.name}`, () => {
    test('makes pairs of what it is for', () => {
      expect(pairsOf(maker, example).length).toBeGreaterThan(0);
    });

    test('is a pure function of source, options and seed', () => {
      fc.assert(
        fc.property(anySource, fc.integer(), (source, seed) => {
          const before = structuredClone(source);
          expect(pairsOf(maker, source, seed)).toEqual(pairsOf(maker, source, seed));
          expect(source).toEqual(before);
        }),
        { numRuns: 50 },
      );
    });

    test('whether it makes any does not depend on chance', () => {
      fc.assert(
        fc.property(anySource, fc.integer(), fc.integer(), (source, a, b) => {
          expect(pairsOf(maker, source, a).length > 0).toBe(pairsOf(maker, source, b).length > 0);
        }),
        { numRuns: 50 },
      );
    });

    test('queries and positives are texts; documents are those of the source, or what it links to', () => {
      fc.assert(
        fc.property(anySource, fc.integer(), (source, seed) => {
          const known = new Set([
            ...source.passages.map(({ number }) => number),
            ...source.passages.flatMap(({ links }) => links.map(({ target }) => target)),
          ]);
          for (const { query, document, positive, negative } of pairsOf(maker, source, seed)) {
            expect(query.trim()).not.toBe('');
            expect(known).toContain(document);
            for (const other of [positive, negative])
              if (other !== undefined) expect(other.trim()).not.toBe('');
          }
        }),
        { numRuns: 50 },
      );
    });

    test('a source without text gives none', () => {
      const empty = { number: 0, title: '', text: ' \n', headings: [], links: [] };
      expect(pairsOf(maker, { title: '', passages: [empty] })).toEqual([]);
    });
  });
}
