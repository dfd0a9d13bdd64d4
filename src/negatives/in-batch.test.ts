import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hardestNegatives } from './hardest-in-batch.js';
import { inBatchNegatives, knownInBatch } from './in-batch.js';
import { positivesOf } from './negatives.fixture.js';

test("another query's positive is a negative, unless it is known to be relevant here, too", () => {
  const batch = {
    queries: [4, 6],
    documents: [10, 20, 30, 40],
    positives: positivesOf({ 4: [10, 40, 99], 6: [20] }),
  };
  expect(knownInBatch(batch)).toEqual([[0, 3], [1]]);
  expect(inBatchNegatives(batch)).toEqual([
    [1, 2],
    [0, 2, 3],
  ]);
  const scores = Float32Array.of(9, 1, 2, 8, /* */ 5, 9, 5, 1);
  expect([...hardestNegatives(batch, scores)]).toEqual([2, 0]);
  const all = { queries: [4], documents: [10, 40], positives: batch.positives };
  expect([...hardestNegatives(all, Float32Array.of(1, 2))]).toEqual([-1]);
});

test('every place is either known or a negative, and the hardest is the best scored of those', () => {
  const places = fc.uniqueArray(fc.nat(15), { minLength: 1, maxLength: 16 });
  fc.assert(
    fc.property(
      places,
      fc.array(places, { minLength: 1, maxLength: 5 }),
      fc.gen(),
      (documents, known, gen) => {
        const queries = known.map((_, query) => query);
        const batch = { queries, documents, positives: (query: number) => Int32Array.from(known[query]) };
        const scores = Float32Array.from({ length: queries.length * documents.length }, () => gen(fc.nat, 9));
        const hardest = hardestNegatives(batch, scores);
        inBatchNegatives(batch).forEach((negatives, row) => {
          expect([...negatives, ...knownInBatch(batch)[row]].sort((a, b) => a - b)).toEqual(
            documents.map((_, place) => place),
          );
          expect(negatives.filter((place) => known[row].includes(documents[place]))).toEqual([]);
          const best = Math.max(...negatives.map((place) => scores[row * documents.length + place]));
          if (negatives.length === 0) expect(hardest[row]).toBe(-1);
          else {
            expect(negatives).toContain(hardest[row]);
            expect(scores[row * documents.length + hardest[row]]).toBe(best);
          }
        });
      },
    ),
    { seed: 2 },
  );
});
