import { expect, test } from 'vitest';
import { contentOf } from './read-files.js';

test('a text goes to the server as it is', () => {
  const text = '# How to sail\n\nHoist the sail.';
  expect(contentOf('guide/sailing.md', text)).toEqual({ path: 'guide/sailing.md', text });
});

test('lines and lists of JSON are documents with their ids and metadata', () => {
  const lines =
    '{"_id": "a", "title": "A", "text": "one", "metadata": {"year": 1}}\n\n{"text": "two", "lang": "en"}\n';
  expect(contentOf('corpus.jsonl', lines)).toEqual([
    { id: 'a', title: 'A', text: 'one', metadata: { year: 1 } },
    { id: 'corpus.jsonl-2', text: 'two', metadata: { lang: 'en' } },
  ]);
  expect(contentOf('one.json', '[{"id": 7, "text": "seven"}]')).toEqual([{ id: '7', text: 'seven' }]);
});

test('tables need a column of texts; quotes hold separators and line ends', () => {
  expect(contentOf('t.csv', 'ID,Title,Text\r\n1,A,"one, ""two""\nthree"\r\n')).toEqual([
    { id: '1', title: 'A', text: 'one, "two"\nthree' },
  ]);
  expect(() => contentOf('t.csv', 'a,b\n1,2\n')).toThrow('expected a column "text", found a, b');
});

test.each([
  ['empty.txt', ' \n', 'is empty'],
  ['bad.jsonl', '{"text": "a"}\n{', 'line 2: not JSON'],
  ['bad.json', '["a"]', 'expected an object with "text"'],
  ['bad.jsonl', '{"body": "a"}', 'expected a field "text", found body'],
])('%s is refused with a reason', (name, content, reason) => {
  expect(() => contentOf(name, content)).toThrow(reason);
});
