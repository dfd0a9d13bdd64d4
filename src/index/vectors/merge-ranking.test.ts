import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { emptyResult } from './check-vectors.js';
import { RankingMerger } from './merge-ranking.js';
import { rowOf } from './vectors.fixture.js';

test('merging block by block equals sorting everything', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 30 }), fc.integer(), (blocks, k, seed) => {
      const random = Random.from(seed, 'merge');
      const all: { id: number; score: number }[] = [];
      const result = emptyResult(2, k);
      const merger = new RankingMerger(result);
      for (const rows of blocks) {
        const firstId = all.length;
        // Few different scores, so that many are equal.
        const block = Array.from({ length: rows }, (_, i) => ({ id: firstId + i, score: random.integer(5) }));
        all.push(...block);
        const ranked = block.toSorted((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
        merger.merge(1, 0, {
          length: ranked.length,
          scores: Float32Array.from(ranked, ({ score }) => score),
          indices: Int32Array.from(ranked, ({ id }) => id - firstId),
          firstId,
        });
      }
      const expected = all.toSorted((a, b) => b.score - a.score || a.id - b.id).slice(0, k);
      expect(rowOf(result, 1).ids.filter((id) => id >= 0)).toEqual(expected.map(({ id }) => id));
      expect(rowOf(result, 1).scores.slice(0, expected.length)).toEqual(expected.map(({ score }) => score));
      expect(rowOf(result, 0)).toEqual(rowOf(emptyResult(1, k), 0));
    }),
    { seed: 1, numRuns: 500 },
  );
});
