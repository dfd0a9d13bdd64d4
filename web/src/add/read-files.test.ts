import { expect, test } from 'vitest';
import { chooseFiles, readFiles } from './read-files.js';

const named = (...paths: string[]) => paths.map((path) => ({ path, file: new File(['text'], path) }));

test('programs are read where there is nothing else; what is no text is counted by its ending', () => {
  const paths = (files: ReturnType<typeof named>) => chooseFiles(files).read.map(({ path }) => path);
  expect(paths(named('a.md', 'b.PDF', 'c.xlsx', 'd.ts'))).toEqual(['a.md', 'b.PDF', 'c.xlsx']);
  expect(paths(named('src/d.ts', 'e.py'))).toEqual(['src/d.ts', 'e.py']);
  const { problems } = chooseFiles(named('a.md', '1.png', '2.png', '3.png', '4.png', 'LICENSE'));
  expect(problems).toEqual([
    '4 .png left out: 1.png, 2.png, 3.png, …',
    '1 without an ending left out: LICENSE',
  ]);
});

test('texts go to the server as they are; empty ones are told', async () => {
  const text = '# How to sail\n\nHoist the sail.';
  const files = [
    { path: 'guide/sailing.md', file: new File([text], 'sailing.md') },
    { path: 'empty.txt', file: new File([' \n'], 'empty.txt') },
    { path: 'nothing.pdf', file: new File([], 'nothing.pdf') },
    { path: 'old.txt', file: new File([Buffer.from('na\xefve', 'latin1')], 'old.txt') },
    { path: 'rows.csv', file: new File(['text\none'], 'rows.csv') },
  ];
  const asked: string[] = [];
  const ask = async (path: string) => {
    asked.push(path);
    return { documents: [{ id: path, text: 'one' }], gone: [], problems: [] };
  };
  expect(await readFiles(files, { ask, onRead: () => undefined })).toEqual({
    texts: [{ path: 'guide/sailing.md', text }],
    documents: [
      { id: 'old.txt', text: 'one' },
      { id: 'rows.csv', text: 'one' },
    ],
    gone: [],
    problems: ['empty.txt is empty', 'nothing.pdf is empty'],
  });
  expect(asked).toEqual(['old.txt', 'rows.csv']);
});
