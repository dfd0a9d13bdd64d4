import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeDirectoryAtomic } from '../files.js';
import { checkApart } from './check-apart.js';
import { type FolderContents, filesNamed } from './folder-contents.js';

const SHELF: FolderContents = { what: 'a shelf', files: filesNamed('book.txt', 'more/book.txt') };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-directory-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
}

const fill = (target: string): Promise<void> => writeFile(join(target, 'book.txt'), 'new');
const replace = (path: string): Promise<void> =>
  writeDirectoryAtomic(join(folder, path), fill, { replaces: SHELF });
const content = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

test('a folder of the same contents is replaced, with what was left unfinished in it', async () => {
  await put('shelf/book.txt', 'shelf/more/book.txt', 'shelf/.partial-book.txt-1234', 'shelf/.DS_Store');
  await replace('shelf');
  expect(await readdir(join(folder, 'shelf'))).toEqual(['book.txt']);
  expect(await content('shelf/book.txt')).toBe('new');
  expect(await readdir(folder)).toEqual(['shelf']);
});

test.each(['shelf/thesis.docx', 'shelf/more/notes/a.txt', 'shelf/.git/config', 'shelf/bookXtxt'])(
  'one that holds %s is not touched',
  async (foreign) => {
    await put('shelf/book.txt', foreign);
    await expect(replace('shelf')).rejects.toMatchObject({
      message: expect.stringContaining(`expected a shelf and nothing else, got ${foreign.slice(6)}`),
      hint: expect.stringContaining('move it away'),
    });
    expect(await content('shelf/book.txt')).toBe('shelf/book.txt');
    expect(await content(foreign)).toBe(foreign);
  },
);

test('what appears while the folder is being written is not removed either', async () => {
  await put('shelf/book.txt');
  const writing = writeDirectoryAtomic(
    join(folder, 'shelf'),
    async (target) => {
      await fill(target);
      await put('shelf/late.txt');
    },
    { replaces: SHELF },
  );
  await expect(writing).rejects.toThrow('got late.txt');
  expect(await content('shelf/late.txt')).toBe('shelf/late.txt');
  expect(await readdir(folder)).toEqual(['shelf']);
});

test('a file is not replaced by a folder', async () => {
  await put('shelf');
  await expect(replace('shelf')).rejects.toThrow('expected a folder, got a file');
  expect(await content('shelf')).toBe('shelf');
});

test('what is kept beside the files stays', async () => {
  await put('shelf/book.txt', 'shelf/.nearmiss/live/log');
  await replace('shelf');
  expect(await content('shelf/book.txt')).toBe('new');
  expect(await content('shelf/.nearmiss/live/log')).toBe('shelf/.nearmiss/live/log');
});

test('a link to a folder stays one', async () => {
  await put('disk/shelf/book.txt', 'disk/shelf/.nearmiss/live/log');
  await symlink(join(folder, 'disk/shelf'), join(folder, 'shelf'));
  await replace('shelf');
  expect(await content('disk/shelf/book.txt')).toBe('new');
  expect(await content('disk/shelf/.nearmiss/live/log')).toBe('disk/shelf/.nearmiss/live/log');
});

test('a target that is a source or a folder around one is refused; one inside it is not', async () => {
  await put('source/inner/file', 'source-2/file');
  await symlink(join(folder, 'source'), join(folder, 'link'));
  const at = (...names: string[]): string[] => names.map((name) => join(folder, name));
  const check = ([target, ...sources]: string[]): Promise<void> => checkApart(target, sources);
  await expect(check(at('source', 'source'))).rejects.toThrow('got the same');
  await expect(check(at('link', 'source'))).rejects.toThrow('got the same');
  await expect(check(at('source', 'source-2', 'source/inner/file'))).rejects.toThrow(
    `got a folder around ${join(folder, 'source/inner/file')}`,
  );
  await check(at('source', 'source-2', 'missing'));
  await check(at('source/inner', 'source'));
  await check(at('missing', 'source'));
});
