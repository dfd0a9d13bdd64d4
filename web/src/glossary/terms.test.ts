import { expect, test } from 'vitest';
import { GLOSSARY, termOf, termOfMeasure } from './terms.js';

test('every term has a name of its own, and measures lead to theirs', () => {
  const ids = GLOSSARY.flatMap(({ terms }) => terms.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  const named = ['RR@10', 'nDCG@10', 'R@1000', 'P@5', 'AP', 'Success@1'].map(termOfMeasure);
  expect(named).toEqual(['rr', 'ndcg', 'recall', 'precision', 'map', 'success']);
  for (const id of named) expect(termOf(id!)).toBeDefined();
  expect(termOfMeasure('seconds')).toBeUndefined();
});
