import { expect, test } from 'vitest';
import { contentTerms } from './function-words.js';

const marked = (weights: Record<string, number>): string[] => [
  ...contentTerms(new Map(Object.entries(weights))).keys(),
];

test('words of questions are not marked, unless there are no others', () => {
  expect(marked({ how: 2, does: 2, anemia: 6 })).toEqual(['anemia']);
  expect(marked({ who: 2, we: 1 })).toEqual(['who', 'we']);
});

test('a word that nearly all of many documents have is none to mark; among few it may be what they are about', () => {
  expect(marked({ la: 0.2, anemia: 6 })).toEqual(['anemia']);
  expect(marked({ apple: 0.04, sauna: 2 })).toEqual(['apple', 'sauna']);
});
