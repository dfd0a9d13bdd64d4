import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { estimateLines } from './estimate-lines.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-lines-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fileOf(name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

test('small files are counted', async () => {
  const [three, none] = [await fileOf('three', ['a', 'b', 'c']), await fileOf('none', [])];
  expect(await estimateLines([three, three])).toBe(6);
  expect(await estimateLines([none])).toBeUndefined();
});

test('a beginning of long lines does not mislead', async () => {
  const long = Array.from({ length: 500 }, () => 'x'.repeat(4000));
  const short = Array.from({ length: 40_000 }, () => 'x'.repeat(100));
  const estimated = await estimateLines([await fileOf('mixed', [...long, ...short])]);
  expect(Math.abs(estimated! / 40_500 - 1)).toBeLessThan(0.15);
});

test('what does not tell its lines by its size has no estimate', async () => {
  expect(await estimateLines(['-'])).toBeUndefined();
  expect(await estimateLines([folder])).toBeUndefined();
  expect(await estimateLines([join(folder, 'corpus.jsonl.gz')])).toBeUndefined();
});
