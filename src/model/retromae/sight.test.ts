import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../engine/index.js';
import { drawSight } from './sight.js';

/** Words of one to three tokens between two special ones. */
const texts = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 12 }).map((sizes) => {
  const words = sizes.flatMap((size, word) => Array.from({ length: size }, () => word));
  return Int32Array.from([-1, ...words, -1]);
});

test('a token sees the vector and special tokens, never its own word, and words as a whole', () => {
  fc.assert(
    fc.property(texts, fc.nat(4), fc.boolean(), fc.nat(), (words, padding, wholeWords, seed) => {
      const length = words.length + padding;
      const random = Random.from(seed, 'sight');
      const sight = drawSight(words, length, { share: 0.5, wholeWords, random });
      const sees = (row: number, place: number): boolean => sight[row * length + place] === 0;
      for (let row = 0; row < length; row++) {
        expect(sees(row, 0)).toBe(true);
        for (let place = 1; place < length; place++) {
          const isText = row < words.length && place < words.length;
          if (!isText) expect(sees(row, place)).toBe(false);
          else if (words[place] < 0) expect(sees(row, place)).toBe(true);
          else if (place === row) expect(sees(row, place)).toBe(false);
          else if (wholeWords && words[place] === words[row]) expect(sees(row, place)).toBe(false);
          const before = isText && wholeWords && place > 1 && words[place] >= 0;
          if (before && words[place] === words[place - 1]) {
            expect(sees(row, place)).toBe(sees(row, place - 1));
          }
        }
      }
    }),
  );
});

test('each token draws for itself, as many words as its share leaves', () => {
  const words = Int32Array.from({ length: 202 }, (_, place) => (place % 201 === 0 ? -1 : place - 1));
  const sight = drawSight(words, 202, { share: 0.7, wholeWords: true, random: Random.from(1, 'sight') });
  const rows = Array.from({ length: 200 }, (_, i) => sight.subarray((i + 1) * 202 + 1, (i + 2) * 202 - 1));
  expect(new Set(rows.map(String)).size).toBe(200);
  const seen = rows.reduce((sum, row) => sum + row.filter((bias) => bias === 0).length, 0);
  expect(Math.abs(seen / 200 ** 2 - 0.3)).toBeLessThan(0.01);
});
