import { expect, test } from 'vitest';
import { documentsOf } from './read-files.js';

test('a text is one document, called by its first heading or its name', () => {
  expect(documentsOf('guide.md', '# How to sail\n\nHoist the sail.')).toEqual([
    {
      id: 'guide.md',
      title: 'How to sail',
      text: '# How to sail\n\nHoist the sail.',
      metadata: { file: 'guide.md' },
    },
  ]);
  expect(documentsOf('notes.txt', 'Only words.')[0].title).toBe('notes');
});

test('lines and lists of JSON are documents with their ids and metadata', () => {
  const lines =
    '{"_id": "a", "title": "A", "text": "one", "metadata": {"year": 1}}\n\n{"text": "two", "lang": "en"}\n';
  expect(documentsOf('corpus.jsonl', lines)).toEqual([
    { id: 'a', title: 'A', text: 'one', metadata: { year: 1 } },
    { id: 'corpus.jsonl-2', text: 'two', metadata: { lang: 'en' } },
  ]);
  expect(documentsOf('one.json', '[{"id": 7, "text": "seven"}]')).toEqual([{ id: '7', text: 'seven' }]);
});

test('tables need a column of texts; quotes hold separators and line ends', () => {
  expect(documentsOf('t.csv', 'ID,Title,Text\r\n1,A,"one, ""two""\nthree"\r\n')).toEqual([
    { id: '1', title: 'A', text: 'one, "two"\nthree' },
  ]);
  expect(() => documentsOf('t.csv', 'a,b\n1,2\n')).toThrow('expected a column "text", found a, b');
});

test.each([
  ['empty.txt', ' \n', 'is empty'],
  ['bad.jsonl', '{"text": "a"}\n{', 'line 2: not JSON'],
  ['bad.json', '["a"]', 'expected an object with "text"'],
  ['bad.jsonl', '{"body": "a"}', 'expected a field "text", found body'],
])('%s is refused with a reason', (name, content, reason) => {
  expect(() => documentsOf(name, content)).toThrow(reason);
});
