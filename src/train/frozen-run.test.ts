import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TOWER_FOLDERS } from '../model/folder/tower-folders.js';
import type { RunDirectory } from '../run/run-directory.js';
import { openSearcher } from '../search/index.js';
import { bothRoles, eventsOf, startRun, stopAfter } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

/** STAR, then ADORE, in seconds. */
const STAR_ADORE = `
extends: tiny
model: { towers: two }
stages:
  - name: mine
    make: { name: mine, depth: 20 }
  - name: star
    steps: 10
    negatives: [{ source: static, file: 'stage:mine', depth: 20 }]
    loss:
      - { name: ranknet, temperature: 0.05 }
      - { name: ranknet, against: positives, temperature: 0.05, weight: 0.1 }
  - name: adore
    steps: 20
    freeze: [documents]
    negatives: [{ source: searched, count: 20 }]
    loss: { name: lambda, temperature: 0.05 }
`;

let folder: string;
let whole: RunDirectory;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-frozen-'));
  await writeSynonyms(join(folder, 'data'), { words: 12, seed: 3 });
  await writeFile(join(folder, 'recipe.yaml'), STAR_ADORE);
  whole = await start('whole');
  await bothRoles(whole);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (name: string): Promise<RunDirectory> =>
  startRun(folder, name, { recipe: join(folder, 'recipe.yaml') });

const queryWeights = (run: RunDirectory, step: number): Promise<Buffer> =>
  readFile(join(run.stepPath('checkpoints', step), TOWER_FOLDERS.queries, 'model.safetensors'));

async function encodedSteps(run: RunDirectory): Promise<Set<number>> {
  const events = [...(await eventsOf(run, 'trainer')), ...(await eventsOf(run, 'inferencer'))];
  return new Set(events.flatMap((event) => (event.type === 'encode' ? event.step : [])));
}

test('documents that do not learn are encoded once, and what learns them makes other queries of them', async () => {
  expect([...(await encodedSteps(whole))]).toEqual([10]);
  const vectors = (step: number): Promise<Buffer> =>
    readFile(join(whole.stepPath('index', step), 'vectors.bin'));
  expect((await vectors(30)).equals(await vectors(20))).toBe(true);
  expect((await queryWeights(whole, 30)).equals(await queryWeights(whole, 20))).toBe(false);
});

test('the losses of STAR are told apart', async () => {
  const steps = (await eventsOf(whole, 'trainer')).filter((event) => event.type === 'step');
  expect(Object.keys(steps[0].parts!)).toEqual(['ranknet', 'ranknet against positives']);
  expect(steps[0].loss).toBeCloseTo(
    steps[0].parts!.ranknet + 0.1 * steps[0].parts!['ranknet against positives'],
    4,
  );
});

test('stopped while it searches, it goes on to the same bits without encoding documents', async () => {
  const halved = await start('halved');
  await stopAfter(halved, 25);
  await bothRoles(halved);
  expect((await queryWeights(halved, 30)).equals(await queryWeights(whole, 30))).toBe(true);
  expect([...(await encodedSteps(halved))]).toEqual([10]);
});

test('serves as two towers over the old index', async () => {
  const searcher = await openSearcher(whole.path, { modes: ['dense'], threads: 1 });
  try {
    const [hits] = await searcher.retriever('dense').search(['gox'], { k: 3 });
    expect(hits).toHaveLength(3);
  } finally {
    await searcher.close();
  }
});
