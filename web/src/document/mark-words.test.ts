import { expect, test } from 'vitest';
import { markWords } from './mark-words.js';

const marked = (text: string, query: string) =>
  markWords(text, query).highlights.map(([from, to]) => text.slice(from, to));

test('whole words of four letters or more, in any case and script', () => {
  expect(marked('Iron is the iron environment.', 'the iron is')).toEqual(['Iron', 'iron']);
  expect(marked('Der Zähler zählt; ZÄHLER!', 'zähler')).toEqual(['Zähler', 'ZÄHLER']);
});

test('what a query may contain is never taken as a pattern', () => {
  expect(marked('a.b (c) d*', '.* (c) [')).toEqual([]);
  expect(marked('anything', '')).toEqual([]);
});
