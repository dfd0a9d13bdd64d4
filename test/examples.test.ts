import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluate, openDataset, writeRun } from '../src/index.js';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';

const library = resolve(import.meta.dirname, '../examples/library');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-examples-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function runExample(name: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(library, name), ...args],
    {
      cwd: folder,
    },
  );
  return stdout;
}

test('train, then search', async () => {
  const trained = await runExample('train.ts', 'data', 'run', 'tiny', 'optimizer.learningRate=1e-2');
  expect(trained).toMatch(/^use: \w+ \(step \d+\)\nstart \{ 'RR@10': 0\.\d+ \}/);
  const found = await runExample('search.ts', 'run', 'gox');
  expect(found.trim().split('\n')).toHaveLength(5);
  expect(found).toMatch(/^\d\.\d{4} \S+ \S+/);
  const inCollection = await runExample('search.ts', 'data', found.trim().split(' ').at(-1)!);
  expect(inCollection).toMatch(/^\d+\.\d{4} \S+ \S+/);
});

test('pairs in memory, a recipe object and a loss of this program', async () => {
  const found = (await runExample('train-in-memory.ts', 'animals')).trim().split('\n');
  expect(found).toHaveLength(3);
  expect(found[0]).toMatch(/^\d\.\d{4} the home of every \w+ is house number \d+$/);
});

test('a custom way to search', async () => {
  const [line] = readFileSync(join(folder, 'data', 'corpus.jsonl'), 'utf8').split('\n', 1);
  const [word] = JSON.parse(line).text.split(' ');
  const found = (await runExample('custom-mode.ts', 'data', word)).trim().split('\n');
  const texts = found.map((each) => each.slice(each.indexOf(' ') + 1));
  expect(texts).toHaveLength(5);
  expect(texts.every((text) => text.includes(word))).toBe(true);
  expect(texts.map(({ length }) => length)).toEqual(texts.map(({ length }) => length).sort((a, b) => a - b));
});

test('a custom source draws from the category, without the positive', async () => {
  expect(await runExample('custom-negatives.ts')).toBe('query 0: 0 2\nquery 1: 3 5\n');
});

test("someone else's run", async () => {
  const qrels = await (await openDataset(join(folder, 'data'))).qrels('dev');
  const rankings = new Map(
    [...qrels].map(([query, grades]) => [query, { ids: [...grades.keys()], scores: Float64Array.of(1) }]),
  );
  const run = { tag: 'perfect', rankings };
  await writeRun(join(folder, 'perfect.trec'), run);
  expect(evaluate(run, qrels, ['RR@10']).mean['RR@10']).toBe(1);
  expect(await runExample('evaluate.ts', 'perfect.trec', 'data', 'dev')).toContain("perfect { 'RR@10': 1");
});

test('docs/library.md shows the examples as they are', () => {
  const page = readFileSync(resolve(library, '../../docs/library.md'), 'utf8');
  for (const name of readdirSync(library))
    expect(page).toContain(readFileSync(join(library, name), 'utf8').trim());
});
