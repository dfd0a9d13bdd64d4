import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeDirectoryAtomic, writeFileAtomic } from '../files.js';
import { withFileLock } from '../lock/file-lock.js';
import { makeDirectory } from './make-directory.js';
import { requireWritable } from './writable.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-make-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('makes what is missing, alone and together with others', async () => {
  for (let round = 0; round < 30; round++) {
    const [b, deep] = [join(folder, `a${round}`, 'b'), join(folder, `a${round}`, 'b', 'c', 'd')];
    await Promise.all(Array.from({ length: 8 }, (_, i) => makeDirectory(i % 2 === 0 ? deep : b)));
    expect((await stat(deep)).isDirectory()).toBe(true);
    await makeDirectory(deep);
  }
});

test('a file in the way, and a link to nowhere, are errors', async () => {
  await writeFile(join(folder, 'file'), '');
  await symlink(join(folder, 'nowhere'), join(folder, 'link'));
  await expect(makeDirectory(join(folder, 'file'))).rejects.toThrow('EEXIST');
  await expect(makeDirectory(join(folder, 'file', 'below', 'it'))).rejects.toThrow('ENOTDIR');
  await expect(makeDirectory(join(folder, 'link', 'below'))).rejects.toThrow();
});

// Whoever asks there, root included, is told that there is no such folder; Node's own mkdir asks for ever.
test.runIf(process.platform === 'linux').each<[string, () => Promise<unknown>]>([
  ['a folder', () => makeDirectory('/proc/nearmiss/run')],
  ['a file', () => writeFileAtomic('/proc/nearmiss/run/file', '')],
  ['a folder that appears', () => writeDirectoryAtomic('/proc/nearmiss/run', async () => undefined)],
  ['a lock', () => withFileLock('/proc/nearmiss/run/lock', async () => undefined)],
  ['a place for a run', () => requireWritable('/proc/nearmiss/run', 'choose another')],
])('%s where no folder can be made is an error at once', async (_, make) => {
  await expect(make()).rejects.toThrow('ENOENT');
});
