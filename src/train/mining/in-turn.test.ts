import { expect, test } from 'vitest';
import { inTurn } from './in-turn.js';

const list = (query: number, ...ids: number[]) => ({
  query,
  ids: Int32Array.from(ids),
  scores: Float32Array.from(ids, (_, place) => 9 - place),
});

test('the best of each retriever in turn, every document once', () => {
  const joined = inTurn([
    [list(0, 5, 6, 7), list(1, 1)],
    [list(0, 6, 8), list(2, 3, 4)],
  ]);
  expect(joined.map(({ query, ids }) => [query, ...ids])).toEqual([
    [0, 5, 6, 8, 7],
    [1, 1],
    [2, 3, 4],
  ]);
  expect(joined[0].scores.every(Number.isNaN)).toBe(true);
});

test('one retriever stays as it is', () => {
  expect(inTurn([[list(0, 5, 6)]])).toEqual([list(0, 5, 6)]);
});
