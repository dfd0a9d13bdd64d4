import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFileAtomic } from '../files.js';
import { isWritable, requireWritable } from '../folders/writable.js';
import { withWriteLock } from './write-lock.js';

let folder: string;
/** Nobody may write below a file, whoever it is. */
let closed: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-write-lock-'));
  closed = join(folder, 'file', 'below');
  await writeFile(join(folder, 'file'), '');
});
afterAll(() => rm(folder, { recursive: true }));

test('where nothing can be written, work that need not write is done', async () => {
  expect(await withWriteLock(join(closed, 'lock'), 'elsewhere', async () => 'found')).toBe('found');
});

test('work that must write says what to do; other errors stay as they are', async () => {
  const write = (): Promise<void> => writeFileAtomic(join(closed, 'x'), 'x');
  await expect(withWriteLock(join(closed, 'lock'), 'go elsewhere', write)).rejects.toMatchObject({
    message: expect.stringContaining(`${join(closed, 'x')}: cannot write: ENOTDIR`),
    hint: 'go elsewhere',
  });
  for (const place of [folder, closed]) {
    const fail = (): Promise<never> => Promise.reject(new Error('broken'));
    await expect(withWriteLock(join(place, 'lock'), 'go elsewhere', fail)).rejects.toThrow('broken');
  }
});

test('a place is writable where it is or can be made', async () => {
  expect(await isWritable(join(folder, 'new', 'deep'))).toBe(true);
  expect(await isWritable(closed)).toBe(false);
  await expect(requireWritable(join(folder, 'file'), 'choose another')).rejects.toMatchObject({
    hint: 'choose another',
  });
});
