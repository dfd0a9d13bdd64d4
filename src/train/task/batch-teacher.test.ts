import { expect, test } from 'vitest';
import { negativeMask } from '../step/loss-feeds.js';
import type { MadeBatch } from './batch-maker.js';
import { figuresOf, guided } from './batch-teacher.js';

const text = { ids: Int32Array.of(1) };

/** Two queries; the second one's positive is unknown to the teacher. */
const batch: MadeBatch = {
  examples: 2,
  members: [0, 1],
  queries: [text, text],
  documents: [text, text, text, text],
  documentNumbers: [10, 11, 12, 13],
  positives: [0, 1],
  negatives: [[2, 3], [3]],
  provenance: [],
  teacher: {
    scores: Float32Array.of(5, 4.5, 6, 1, 0, 0, 9, 2),
    known: Float32Array.of(1, 1, 1, 1, 1, 0, 1, 1),
  },
};

test("GISTEmbed's rule: what the guide scores above the positive is no negative", () => {
  const { masked } = guided(batch, 0);
  expect(masked).toEqual([[2], []]);
  expect([...negativeMask({ ...batch, masked }, 'batch').data]).toEqual([0, 1, 0, 1, 1, 0, 1, 1]);
  expect([...negativeMask({ ...batch, masked }, 'own').data]).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
});

test.each([
  [1, [[1, 2], []]],
  [-2, [[], []]],
  [100, [[1, 2, 3], []]],
])('a margin of %f leaves more or fewer out', (margin, masked) => {
  expect(guided(batch, margin).masked).toEqual(masked);
});

test("a teacher's mean margin and the share of drawn negatives that a guide left out", () => {
  // Of three drawn negatives one is left out; margins are known of the first query alone: 5 − 6 and 5 − 1.
  expect(figuresOf([guided(batch, 0)])).toEqual({ teacherMargin: 1.5, maskedShare: 1 / 3 });
  expect(figuresOf([{ ...batch, teacher: undefined }])).toBeUndefined();
});
