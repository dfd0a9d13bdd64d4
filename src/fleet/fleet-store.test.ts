import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FleetStore } from './fleet-store.js';

let folder: string;
const at = (...parts: string[]): string => join(folder, ...parts);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-fleet-store-'));
  await mkdir(at('model', 'below'), { recursive: true });
  await writeFile(at('model', 'config.json'), '{}');
  await writeFile(at('model', 'below', 'weights'), 'w');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('a model comes back as it was put', async () => {
  const store = await FleetStore.open(at('store'));
  await store.addModel('m', at('model'));
  expect(await store.hasModel('m')).toBe(true);
  await store.fetchModel('m', at('copy'));
  expect(await readFile(at('copy', 'below', 'weights'), 'utf8')).toBe('w');
  expect((await readdir(at('copy'), { recursive: true })).sort()).toEqual([
    'below',
    join('below', 'weights'),
    'config.json',
  ]);
});

test.each([
  ['{"../escaped":"00"}', 'field "../escaped": expected the path of a file within the model'],
  ['{"/tmp/escaped":"00"}', 'expected the path of a file within the model'],
  ['{"below/../../escaped":"00"}', 'expected the path of a file within the model'],
  ['{"config.json":', 'files.json'],
])('a model whose files are %s is refused', async (manifest, message) => {
  const store = await FleetStore.open(at('store'));
  await store.addModel('m', at('model'));
  await writeFile(at('store', 'models', 'm', 'files.json'), manifest);
  await expect(store.fetchModel('m', at('copies', 'm'))).rejects.toThrow(message);
  expect((await readdir(folder)).sort()).toEqual(['model', 'store']);
});
