import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { maskWords } from './mask-words.js';

const MASK = 4;
const OTHERS = Int32Array.from({ length: 50 }, (_, i) => 5 + i);

/** Words of one to four tokens between two special ones. */
const texts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 40 }).map((sizes) => {
  const words = sizes.flatMap((size, word) => Array.from({ length: size }, () => word));
  return {
    ids: Int32Array.from([2, ...words.map((_, i) => 5 + (i % 50)), 3]),
    words: Int32Array.from([-1, ...words, -1]),
  };
});

test('hides whole words, never special tokens, near the share, and knows what stood there', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.double({ min: 0.05, max: 0.5, noNaN: true }), (text, seed, share) => {
      const options = {
        share,
        wholeWords: true,
        maskId: MASK,
        others: OTHERS,
        random: Random.from(seed, 'mask'),
      };
      const { ids, places, labels } = maskWords(text, options)!;
      const hidden = new Set(places);
      expect(hidden.size).toBe(places.length);
      expect(labels).toEqual(places.map((place) => text.ids[place]));
      text.ids.forEach((id, place) => {
        if (!hidden.has(place)) expect(ids[place]).toBe(id);
        else expect(text.words[place]).toBeGreaterThanOrEqual(0);
        const same = [...text.words.keys()].filter((other) => text.words[other] === text.words[place]);
        if (hidden.has(place)) expect(same.every((other) => hidden.has(other))).toBe(true);
      });
      const most = Math.max(1, Math.round((text.ids.length - 2) * share));
      // One word is hidden whatever its length.
      expect(places.length).toBeLessThanOrEqual(Math.max(most, 4));
    }),
  );
});

test('8 of 10 hidden, 1 replaced, 1 as it was; without whole words single tokens', () => {
  const text = {
    ids: Int32Array.from({ length: 20_000 }, () => 7),
    words: Int32Array.from({ length: 20_000 }, (_, i) => i >> 1),
  };
  const random = Random.from(1, 'mask');
  const { ids, places } = maskWords(text, {
    share: 0.5,
    wholeWords: false,
    maskId: MASK,
    others: OTHERS,
    random,
  })!;
  expect(places).toHaveLength(10_000);
  const now = Array.from(places, (place) => ids[place]);
  const share = (is: (id: number) => boolean): number => now.filter(is).length / now.length;
  expect(share((id) => id === MASK)).toBeCloseTo(0.8, 1);
  expect(share((id) => id === 7)).toBeCloseTo(0.1 + 0.1 / 50, 1);
  expect(new Set(now).size).toBe(51);
});

test('a text without words has nothing to hide', () => {
  const random = Random.from(1, 'mask');
  const empty = { ids: Int32Array.of(2, 3), words: Int32Array.of(-1, -1) };
  expect(
    maskWords(empty, { share: 0.15, wholeWords: true, maskId: MASK, others: OTHERS, random }),
  ).toBeUndefined();
});
