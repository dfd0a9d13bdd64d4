import { appendFile, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadRecipe } from '../../recipe/load.js';
import { openRun } from '../../run/open-run.js';
import { readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import { beginRun } from './begin-run.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-begin-'));
  await writeSynonyms(join(folder, 'data'), { words: 6, seed: 1 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function begin(name: string, options: { data?: string; set?: string[] } = {}): Promise<RunDirectory> {
  const { recipe } = await loadRecipe('tiny', { set: options.set });
  const { data = join(folder, 'data') } = options;
  return beginRun(join(folder, name), { data, split: 'train', recipe }, { quiet: true });
}

test.each(['tiny', 'default'])('%s on documents alone: what to do instead is said', async (name) => {
  const data = join(folder, 'documents-alone');
  await cp(join(folder, 'data/corpus.jsonl'), join(data, 'corpus.jsonl'));
  const { recipe } = await loadRecipe(name);
  await expect(beginRun(join(folder, 'none'), { data, split: 'train', recipe })).rejects.toMatchObject({
    message: expect.stringContaining('training needs queries and judgments, got documents alone'),
    hint: expect.stringContaining('nearmiss adapt'),
  });
});

async function open(run: RunDirectory): Promise<void> {
  await (await openRun(run.path, { quiet: true })).data.close();
}

describe('a collection that changes under a run', () => {
  let collection: string;
  let run: RunDirectory;
  beforeAll(async () => {
    collection = join(folder, 'changing');
    await cp(join(folder, 'data'), collection, { recursive: true });
    run = await begin('on changing', { data: collection });
    await open(run);
  });

  /** Opens the run while a file is another one. */
  async function openedWith(name: string, change: (text: string) => string): Promise<void> {
    const path = join(collection, name);
    const before = await readFile(path, 'utf8');
    await writeFile(path, change(before));
    try {
      await open(run);
    } finally {
      await writeFile(path, before);
    }
  }

  test.each([
    ['corpus.jsonl', 'documents: expected 36 ', (text: string) => text.replace('"text":"', '"text":"re')],
    [
      'corpus.jsonl',
      'documents: expected 36 ',
      (text: string) => `${text.trim().split('\n').reverse().join('\n')}\n`,
    ],
    [
      'queries.jsonl',
      'queries: expected 36 ',
      (text: string) => `${text}${JSON.stringify({ _id: 'q', text: 'x' })}\n`,
    ],
    ['qrels/train.tsv', 'judgments of split "train": expected ', (text: string) => `${text}q0-0\td5-5\t1\n`],
    [
      'qrels/dev.tsv',
      'judgments of split "dev": expected ',
      (text: string) => text.replaceAll('\t1\n', '\t2\n'),
    ],
  ])('%s: %s', async (name, part, change) => {
    await expect(openedWith(name, change)).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `^${collection}: the collection has changed since the run ${run.path} began:\n${part}.*sha256 .*, got \\d+ \\(sha256 [^\\n]*$`,
        ),
      ),
      hint: 'restore the collection as it was, or start another run with --out',
    });
    await open(run);
  });

  test('is not noticed by a run from before, whose tables name no data either', async () => {
    const old = await begin('from before', { data: collection });
    const path = old.file('run.json');
    const { dataFingerprint, checksum: _, ...description } = JSON.parse(await readFile(path, 'utf8'));
    expect(dataFingerprint.documents.count).toBe(36);
    await writeFile(path, JSON.stringify(description));
    await appendFile(join(collection, 'queries.jsonl'), `${JSON.stringify({ _id: 'new', text: 'x' })}\n`);
    const { data } = await openRun(old.path, { quiet: true });
    expect(data.tables.dataFingerprint).toBeUndefined();
    await data.close();
  });
});

describe('paths', () => {
  /** A path as it is typed in the folder that the tests run in. */
  const typed = (name: string): string => relative(process.cwd(), join(folder, name));

  test('are absolute in a run, so that it can be joined from another folder', async () => {
    await writeFile(join(folder, 'static.trec'), 'q0-0 Q0 d5-5 1 1 x\n');
    const set = [`stages.ance.negatives=[{source: static, file: ${typed('static.trec')}}]`];
    const run = await begin('typed', { data: typed('data'), set });
    const { data, recipe } = await readRunDescription(run);
    expect(data).toBe(join(folder, 'data'));
    expect(recipe.stages[1].negatives[0].file).toBe(join(folder, 'static.trec'));
    await begin('typed', { data: typed('data'), set });
    await begin('typed', { set });
    await expect(begin('typed', { data: typed('other'), set })).rejects.toThrow('this run learns from');
  });

  test('a run from before paths were absolute goes on', async () => {
    const set = [`stages.ance.negatives=[{source: static, file: ${typed('static.trec')}}]`];
    const run = await begin('typed before', { set });
    const { checksum: _, ...description } = JSON.parse(await readFile(run.file('run.json'), 'utf8'));
    description.data = typed('data');
    description.recipe.stages[1].negatives[0].file = typed('static.trec');
    await writeFile(run.file('run.json'), JSON.stringify(description));
    await begin('typed before', { data: typed('data'), set });
  });

  test('a collection that is moved is looked for where it was typed, or asked for', async () => {
    await cp(join(folder, 'data'), join(folder, 'original'), { recursive: true });
    const run = await begin('moved', { data: join(folder, 'original') });
    await rename(join(folder, 'original'), join(folder, 'elsewhere'));
    await expect(open(run)).rejects.toMatchObject({
      message: `${join(folder, 'original')}: the collection of the run ${run.path} is not there`,
      hint: expect.stringContaining(`the field "data" of ${run.file('run.json')}`),
    });
    const path = run.file('run.json');
    const description = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...description, dataAsGiven: typed('elsewhere') }));
    await open(new RunDirectory(run.path));
  });
});

test('few labels take few steps, of which no more than a quarter warm up', async () => {
  const set = ['stages.ance.steps=200', 'stages.ance.epochs=4', 'optimizer.warmupSteps=50'];
  const { recipe } = await readRunDescription(await begin('few', { set }));
  const [, { steps, optimizer }] = recipe.stages;
  expect(steps).toBeLessThan(50);
  expect(steps).toBeGreaterThan(1);
  expect(optimizer).toMatchObject({ warmupSteps: Math.floor(steps / 4) });
  const again = await begin('few', { set });
  expect((await readRunDescription(again)).recipe).toEqual(recipe);
  const all = await readRunDescription(await begin('all', { set: [...set, 'stages.ance.epochs=1000'] }));
  expect(all.recipe.stages[1].steps).toBe(200);
  expect(all.recipe.stages[1].optimizer?.warmupSteps).toBeUndefined();
});
