import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { selectPairs, sortPairs } from './ranked-pairs.js';

interface Pairs {
  scores: Float32Array;
  ids: Int32Array;
}

/** Pairs with few different scores, so that many are equal. */
function draw(length: number, levels: number, seed: number): Pairs {
  const random = Random.from(seed, 'pairs');
  return {
    scores: Float32Array.from({ length }, () => random.integer(levels)),
    ids: random.shuffle(Int32Array.from({ length }, (_, i) => i)),
  };
}

function best({ scores, ids }: Pairs, k: number): string[] {
  return [...ids.keys()]
    .sort((a, b) => scores[b] - scores[a] || ids[a] - ids[b])
    .slice(0, k)
    .map((i) => `${scores[i]}:${ids[i]}`);
}

const length = fc.integer({ min: 1, max: 400 });
const levels = fc.integer({ min: 1, max: 500 });

test('sorts by score, then id', () => {
  fc.assert(
    fc.property(length, levels, fc.integer(), (n, spread, seed) => {
      const pairs = draw(n, spread, seed);
      const expected = best(pairs, n);
      sortPairs(pairs.scores, pairs.ids, 0, n);
      expect(Array.from(pairs.ids, (id, i) => `${pairs.scores[i]}:${id}`)).toEqual(expected);
    }),
    { seed: 1 },
  );
});

test('selects the best k of a range, the worst of them last, and leaves the rest of the arrays alone', () => {
  fc.assert(
    fc.property(length, levels, fc.integer(), (n, spread, seed) => {
      const pairs = draw(n, spread, seed);
      const k = 1 + Random.from(seed, 'k').integer(n);
      const expected = best(pairs, k);
      const scores = Float32Array.of(7, ...pairs.scores, 8);
      const ids = Int32Array.of(-7, ...pairs.ids, -8);
      selectPairs(scores, ids, 1, n + 1, k);
      const selected = Array.from({ length: k }, (_, i) => `${scores[i + 1]}:${ids[i + 1]}`);
      expect(selected.toSorted()).toEqual(expected.toSorted());
      expect(selected.at(-1)).toBe(expected.at(-1));
      expect([scores[0], ids[0], scores[n + 1], ids[n + 1]]).toEqual([7, -7, 8, -8]);
    }),
    { seed: 2 },
  );
});
