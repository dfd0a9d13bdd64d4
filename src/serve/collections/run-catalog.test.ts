import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RunCatalog } from './run-catalog.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-catalog-'));
  for (const name of ['runs/first', 'runs/second run', 'runs/.partial-third', 'outside', 'runs']) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'run.json'), '{}');
  }
  await mkdir(join(folder, 'runs/not-a-run'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('a run by itself and a folder of runs', async () => {
  const catalog = new RunCatalog({ run: join(folder, 'outside'), folder: join(folder, 'runs') });
  expect(await catalog.list()).toEqual(['first', 'outside', 'second run']);
  expect(catalog.pathOf('outside')).toBe(join(folder, 'outside'));
  expect(catalog.pathOf('second run')).toBe(join(folder, 'runs/second run'));
  expect(catalog.pathOf('not-a-run')).toBeUndefined();
  expect(await new RunCatalog().list()).toEqual([]);
});

test('a run that appears later is seen', async () => {
  const catalog = new RunCatalog({ folder: join(folder, 'later') });
  expect(await catalog.list()).toEqual([]);
  await mkdir(join(folder, 'later/new'), { recursive: true });
  await writeFile(join(folder, 'later/new/run.json'), '{}');
  expect(await catalog.list()).toEqual(['new']);
});

test('runs that cannot be read are of no collection, and no reason to fail', async () => {
  const catalog = new RunCatalog({ folder: join(folder, 'runs'), collection: join(folder, 'data') });
  expect(await catalog.ofCollection(await catalog.list())).toEqual([]);
});

test('no name leads out of the folder', () => {
  const catalog = new RunCatalog({ folder: join(folder, 'runs') });
  for (const name of [
    '..',
    '.',
    '',
    '../outside',
    '..\\outside',
    '../runs/first',
    'first/',
    '.partial-third',
  ])
    expect(catalog.pathOf(name), name).toBeUndefined();
  const part = fc.constantFrom('..', '.', '/', '\\', 'outside', 'first', '%2e', '\0', 'runs');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const path = catalog.pathOf(parts.join(''));
      expect([undefined, join(folder, 'runs/first')]).toContain(path);
    }),
  );
});
