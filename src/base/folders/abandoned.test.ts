import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeDirectoryAtomic, writeFileAtomic } from '../files.js';
import { asidePath, partialPath } from '../partial-path.js';
import { clearAbandoned } from './abandoned.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-abandoned-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A partial name as a process that has ended left it, or one of another machine. */
function leftBy(owner: 'dead' | 'elsewhere', target: string): string {
  const name = partialPath(join(folder, target));
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  return owner === 'dead'
    ? name.replace(`-${process.pid}-`, `-${dead}-`)
    : name.replace(/-[0-9a-f]{8}(-\d+-\d+-[0-9a-f]{8})$/, '-0badcafe$1');
}

async function put(...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, basename(path));
  }
}

async function setAge(path: string, hours: number): Promise<void> {
  const then = new Date(Date.now() - hours * 3_600_000);
  await utimes(path, then, then);
}

test('what a dead process left is removed by whoever writes there next; what others work on stays', async () => {
  const [file, tree, ours, remote] = [
    leftBy('dead', 'state.json'),
    leftBy('dead', 'tokens-1'),
    partialPath(join(folder, 'ours')),
    leftBy('elsewhere', 'remote'),
  ];
  await put(file, join(tree, 'deep', 'tokens.bin'), ours, remote, join(folder, '.partial-download', 'part'));
  await writeFileAtomic(join(folder, 'something.json'), '{}');
  expect(await readdir(folder)).toEqual(
    [basename(ours), basename(remote), '.partial-download', 'something.json'].sort(),
  );
});

test('of unknown owners, what has not changed for a day was given up', async () => {
  const remote = leftBy('elsewhere', 'remote');
  const growing = leftBy('elsewhere', 'growing');
  const earlier = join(folder, '.partial-tokens-3fa94c1e00-12345678');
  await put(join(remote, 'a'), join(growing, 'a'), join(earlier, 'a'));
  for (const path of [remote, growing, earlier]) {
    await setAge(join(path, 'a'), path === growing ? 23 : 25);
    await setAge(path, 25);
  }
  await writeDirectoryAtomic(join(folder, 'made'), (made) => put(join(made, 'x')));
  expect(await readdir(folder)).toEqual([basename(growing), 'made']);
});

test.each([
  ['before what is kept moved over', true],
  ['after that', false],
])('a folder that was being replaced gets its new content, killed %s', async (_, keptInOld) => {
  const successor = leftBy('dead', 'shelf');
  const old = asidePath(successor);
  await put(join(old, 'book.txt'), join(successor, 'book.txt'));
  await put(join(keptInOld ? old : successor, '.nearmiss', 'log'));
  await writeFile(join(successor, 'book.txt'), 'new');
  await clearAbandoned(folder);
  expect(await readdir(folder)).toEqual(['shelf']);
  expect(await readFile(join(folder, 'shelf', 'book.txt'), 'utf8')).toBe('new');
  expect(await readFile(join(folder, 'shelf', '.nearmiss', 'log'), 'utf8')).toBe('log');
});

test('a folder that lost its name and its successor gets its name again', async () => {
  const old = asidePath(leftBy('dead', 'shelf'));
  await put(join(old, 'book.txt'));
  await clearAbandoned(folder);
  expect(await readdir(folder)).toEqual(['shelf']);
});

test('one that was replaced and not yet removed goes', async () => {
  const old = asidePath(leftBy('dead', 'shelf'));
  await put(join(old, 'book.txt'), join(folder, 'shelf', 'new.txt'));
  await clearAbandoned(folder);
  expect(await readdir(folder)).toEqual(['shelf']);
  expect(await readdir(join(folder, 'shelf'))).toEqual(['new.txt']);
});
