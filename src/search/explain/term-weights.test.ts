import { expect, test } from 'vitest';
import { termWeights } from './term-weights.js';

test('each token of the text with its weight, and beside them what is not in it, heaviest first', () => {
  const names = ['near', 'miss', 'hit', 'far'];
  // Pairs of a term and its weight; the greatest of a term counts.
  const rows = Float32Array.of(0, 1, 0, 3, 2, 4, 3, 9);
  const id = (token: string): number | undefined => {
    const place = names.indexOf(token);
    return place < 0 ? undefined : place;
  };
  expect(termWeights(rows, ['near', 'a', 'near'], { token: (term) => names[term], id })).toEqual({
    document: [
      { token: 'near', weight: 3 },
      { token: 'a', weight: 0 },
      { token: 'near', weight: 3 },
    ],
    expansion: [
      { term: 'far', weight: 9 },
      { term: 'hit', weight: 4 },
    ],
  });
});
