import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GeneratedQueries, readGenerated } from '../generate/index.js';
import { locateMade } from '../run/made.js';
import type { RunDirectory } from '../run/run-directory.js';
import { takeRole } from './process/processes.js';
import { bothRoles, eventsOf, startRun, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const GENERATOR = [
  'model={init: scratch, layers: 1, hiddenSize: 16, heads: 2, vocabularySize: 300, decoder: {layers: 1}, maxLength: {query: 8, document: 24}}',
];

const recipeOf = (generator: string): string => `
extends: tiny
stages:
  - name: generate
    make: { name: generate, generator: ${generator}, count: 2 }
  - name: train
    steps: 4
    examples: { name: generated, file: 'stage:generate' }
    negatives: [{ source: in-batch }]
    loss: { name: infonce, temperature: 0.1 }
`;

let folder: string;
let run: RunDirectory;
const start = (name: string): Promise<RunDirectory> =>
  startRun(folder, name, { recipe: join(folder, 'recipe.yaml') });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-generate-run-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 3 });
  const generator = await startRun(folder, 'generator', { recipe: 'query-generator', set: GENERATOR });
  await writeFile(join(folder, 'recipe.yaml'), recipeOf(generator.file('start')));
  run = await start('run');
  await bothRoles(run);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const madeBy = async (of: RunDirectory): Promise<string> =>
  join(await locateMade(of, 'stage:generate'), 'queries.jsonl');

test('queries are written for every document, and a later stage learns from them', async () => {
  const corpus = await readFile(join(folder, 'data', 'corpus.jsonl'), 'utf8');
  const ids = corpus
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)._id);
  const records: GeneratedQueries[] = [];
  for await (const record of readGenerated(await madeBy(run))) records.push(record);
  expect(records.map(({ id }) => id)).toEqual(ids);
  const queries = records.reduce((sum, record) => sum + record.queries.length, 0);
  expect(queries).toBeGreaterThan(ids.length);
  const events = await eventsOf(run, 'trainer');
  expect(events.filter(({ type }) => type === 'step')).toHaveLength(4);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'made', figures: { passages: ids.length, queries } }),
  );
});

test('stopped while it writes, it goes on behind what is there and comes to the same', async () => {
  const again = await start('again');
  const stop = new AbortController();
  const session = { threads: 1 };
  let stoppedAt = 0;
  await takeRole('trainer', again.path, {
    session,
    quiet: true,
    stopSignal: stop.signal,
    onEvent(event) {
      if (event.type !== 'make' || event.done === 0) return;
      stoppedAt ||= event.done;
      stop.abort();
    },
  });
  expect(stoppedAt).toBeGreaterThan(0);
  await expect(madeBy(again)).rejects.toThrow('no stage before has made it');
  await bothRoles(again);
  const dones = (await eventsOf(again, 'trainer')).flatMap((event) =>
    event.type === 'make' && event.done > 0 ? [event.done] : [],
  );
  // No passage is written twice.
  expect(new Set(dones).size).toBe(dones.length);
  expect(await readFile(await madeBy(again))).toEqual(await readFile(await madeBy(run)));
  expect(await weightsOf(again, 4)).toEqual(await weightsOf(run, 4));
});

test('a generator that is not there, and queries of another collection, are refused', async () => {
  await writeFile(join(folder, 'recipe.yaml'), recipeOf(join(folder, 'nowhere')));
  await expect(start('missing')).rejects.toThrow(/nowhere: no such generator/);
  // What the recipes name is no id of a hub.
  await expect(startRun(folder, 'qgen', { recipe: 'qgen' })).rejects.toThrow(
    'runs/generator: no such generator',
  );
  const other = join(folder, 'other.jsonl');
  await writeFile(other, '{"id": "elsewhere", "queries": ["a", "b"]}\n');
  const plain = `extends: tiny\nexamples: { name: generated, file: ${other} }\nstages:\n  - { name: train, steps: 1, negatives: [{ source: in-batch }] }\n`;
  await writeFile(join(folder, 'recipe.yaml'), plain);
  const bad = await start('bad');
  await expect(takeRole('trainer', bad.path, { session: { threads: 1 }, quiet: true })).rejects.toThrow(
    /other\.jsonl: document "elsewhere" is not in/,
  );
});
