import { expect, test } from 'vitest';
import type { Query } from '../data/dataset.js';
import { numbered, withIndex } from '../index/bm25/reference.fixture.js';
import { type Bm25Trial, gridSize, tuneBm25 } from './tune-bm25.js';

// The relevant document repeats the word in a long text: it wins only where length is not punished.
const long = `apple apple apple ${'filler '.repeat(200)}`;
const documents = numbered([long, 'apple pie', 'pear cake', 'plum tart']);
const queries: Query[] = [{ id: 'q', text: 'apple' }];
const qrels = new Map([['q', new Map([['d0', 1]])]]);

test('finds the numbers that rank the relevant document first and reports every trial', async () => {
  await withIndex(documents, { vectors: true }, async (index) => {
    const grid = {
      k1: [0.9],
      b: [1, 0],
      rm3: { feedbackDocuments: [1], feedbackTerms: [2], originalWeight: [0.5, 1] },
    };
    const seen: Bm25Trial[] = [];
    const trials = await tuneBm25(index, queries, qrels, {
      measure: 'RR@10',
      grid,
      threads: 1,
      onTrial: (trial) => seen.push(trial),
    });
    expect(gridSize(grid)).toBe(4);
    expect(seen).toHaveLength(4);
    expect(trials[0]).toEqual({ k1: 0.9, b: 0, value: 1 });
    expect(trials.at(-1)).toEqual({ k1: 0.9, b: 1, value: 0.5 });
    expect(trials.filter(({ rm3 }) => rm3 !== undefined).map(({ b }) => b)).toEqual([0, 0]);
  });
});
