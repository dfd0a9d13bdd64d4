import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../engine/index.js';
import { readRunDescription } from '../run/run-description.js';
import { bestSoFar } from '../run/step-evaluation.js';
import { openSearcher } from '../search/index.js';
import { measureCollection } from '../systems/index.js';
import { concludeRun } from './conclude.js';
import { bothRoles, eventsOf, startRun, stopWhenMeasured, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

const SET = [
  'stages.ance.steps=60',
  'checkpoint.every=20',
  'evaluation.choose=significant',
  'evaluation.measures=[RR@10, R@100]',
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-conclude-'));
  await writeSynonyms(join(folder, 'learnable', 'data'), { words: 14, seed: 3 });
  await cp(join(folder, 'learnable'), join(folder, 'shuffled'), { recursive: true });
  for (const split of ['train', 'dev'])
    await shuffleAnswers(join(folder, 'shuffled/data/qrels', `${split}.tsv`));
  await cp(join(folder, 'learnable'), join(folder, 'without-dev'), { recursive: true });
  await rm(join(folder, 'without-dev/data/qrels/dev.tsv'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Gives every query the answer of another one. */
async function shuffleAnswers(path: string): Promise<void> {
  const [header, ...lines] = (await readFile(path, 'utf8')).trim().split('\n');
  const pairs = lines.map((line) => line.split('\t'));
  const answers = Random.from(1, 'shuffle').shuffle(pairs.map(([, document]) => document));
  const shuffled = pairs.map(([query], i) => `${query}\t${answers[i]}\t1`);
  await writeFile(path, `${[header, ...shuffled].join('\n')}\n`);
}

test('start, BM25, hybrid and trained model are measured on the same dev queries, and the trained one is kept', async () => {
  const run = await startRun(join(folder, 'learnable'), 'run', { set: SET });
  await bothRoles(run);
  const outcome = await concludeRun(run.path, { threads: 1 });
  expect(outcome.rows.map(({ system }) => system)).toEqual(['start', 'bm25', 'hybrid', 'trained']);
  const [start, , hybrid, trained] = outcome.rows;
  const best = (await bestSoFar(run))!;
  expect(outcome).toMatchObject({ split: 'dev', queries: best.queries, measure: 'RR@10', verdict: 'better' });
  expect(trained.measures['RR@10']).toBeCloseTo(best.measures['RR@10'], 2);
  expect(trained.measures['RR@10']).toBeGreaterThan(start.measures['RR@10'] + 0.1);
  expect(trained.pValueAgainstStart).toBeLessThan(0.001);
  expect(start.pValueAgainstStart).toBeUndefined();
  expect(hybrid.measures['RR@10']).toBeGreaterThan(0);
  expect(outcome.advice).toMatch(/^Use the (trained model|hybrid)/);
  // The run is searched as the outcome says.
  const searcher = await openSearcher(run.path, { threads: 1 });
  expect(searcher.defaultMode).toBe(outcome.hybrid!.recommended ? 'hybrid' : 'dense');
  await searcher.close();
  // A second look measures nothing on dev, and any split can be asked for.
  const again = await concludeRun(run.path, { threads: 1, testSplit: 'train' });
  expect(again).toMatchObject({ rows: outcome.rows, test: { split: 'train', best: outcome.best } });
  expect(again.test!.rows).toHaveLength(4);
});

test('where the labels are wrong, what the run started from stays the best model, and that is said', async () => {
  const run = await startRun(join(folder, 'shuffled'), 'run', { set: SET });
  await bothRoles(run);
  expect((await bestSoFar(run))!.step).toBe(0);
  const start = await readFile(run.file('start', 'model.safetensors'));
  expect((await readFile(run.file('best', 'model.safetensors'))).equals(start)).toBe(true);
  expect((await weightsOf(run, 70)).equals(start)).toBe(false);
  const outcome = await concludeRun(run.path, { threads: 1 });
  expect(outcome.verdict).not.toBe('better');
  expect(['start', 'bm25']).toContain(outcome.best);
  expect(outcome.rows.map(({ system }) => system)).toContain('trained');
  expect(outcome.advice).toMatch(/Training (made the model worse|brought nothing)/);
  expect(outcome.advice).toContain('labels that are wrong');
});

test('where there is no dev split, queries are held out of the training queries, which share no answer with them', async () => {
  const run = await startRun(join(folder, 'without-dev'), 'run', { set: [...SET, 'stages.ance.steps=20'] });
  const { heldOut } = await readRunDescription(run);
  expect(heldOut).toMatchObject({ split: 'dev', from: 'train' });
  expect(heldOut!.queries.length).toBe(50);
  await bothRoles(run);
  expect(await bestSoFar(run)).toMatchObject({ split: 'dev', queries: heldOut!.queries.length });
  const outcome = await concludeRun(run.path, { threads: 1, testSplit: 'train' });
  expect(outcome.queries).toBe(heldOut!.queries.length);
  expect(outcome.labels + outcome.queries).toBe(outcome.test!.queries + outcome.queries);
});

test('a model at its own length is encoded once for all runs on a collection, and few labels take few steps', async () => {
  const place = join(folder, 'learnable');
  const first = await startRun(place, 'published');
  const set = [
    ...['layers', 'hiddenSize', 'heads', 'vocabularySize'].map((size) => `model.${size}=null`),
    `model.init=${first.file('start')}`,
    'model.maxLength={query: own, document: own}',
    'refresh.mode=async',
    'stages.ance.epochs=0.5',
    'evaluation.choose=significant',
  ];
  const run = await startRun(place, 'again', { set });
  const { recipe, published } = await readRunDescription(run);
  expect(recipe.model.maxLength).toEqual({ query: 32, document: 32 });
  expect(published).toBeUndefined();
  expect(recipe.stages[1].steps).toBeLessThan(20);
  await bothRoles(run);
  const encodings = async (of: typeof run): Promise<number[]> =>
    (await eventsOf(of, 'inferencer')).flatMap((event) => (event.type === 'encode' ? event.step : []));
  expect(await encodings(run)).toContain(0);
  const kept = (await readdir(join(place, 'data', '.nearmiss'))).filter((name) =>
    name.startsWith('vectors-'),
  );
  expect(kept).toHaveLength(1);
  const other = await startRun(place, 'other-seed', { set: [...set, 'seed=7'] });
  await bothRoles(other);
  expect(await encodings(other)).not.toContain(0);
  expect(await bestSoFar(other)).toBeDefined();
  // A part of it is compared with all of it.
  const cut = await startRun(place, 'cut', { set: [...set, 'model.maxLength.document=8'] });
  expect((await readRunDescription(cut)).published).toBe(first.file('start'));
});

test('a collection is measured as it can be searched before any training', async () => {
  const model = (await startRun(join(folder, 'learnable'), 'untrained')).file('start');
  const data = join(folder, 'learnable', 'data');
  const table = await measureCollection(data, { split: 'dev', model, measures: ['RR@10'], threads: 1 });
  expect(table.rows.map(({ system }) => system)).toEqual(['start', 'bm25', 'hybrid']);
  const tuned = await measureCollection(data, { split: 'train', model, measures: ['RR@10'], threads: 1 });
  expect(tuned).toMatchObject({ split: 'train', measure: 'RR@10' });
  expect(tuned.queries).toBeGreaterThan(table.queries);
  await expect(measureCollection(data, { split: 'test', model })).rejects.toThrow('no split "test"');
});

test('what was measured of a run that was stopped is measured again when it has gone on', async () => {
  const run = await startRun(join(folder, 'learnable'), 'stopped', { set: SET });
  await expect(concludeRun(run.path, { threads: 1 })).rejects.toThrow(
    'nothing of this run has been measured yet',
  );
  await stopWhenMeasured(run);
  const stopped = await concludeRun(run.path, { threads: 1 });
  expect(stopped.rows.map(({ system }) => system)).not.toContain('trained');
  await bothRoles(run);
  const { rows } = await concludeRun(run.path, { threads: 1 });
  expect(rows.map(({ system }) => system)).toContain('trained');
});
