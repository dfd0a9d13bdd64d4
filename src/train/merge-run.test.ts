import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mixParameters } from '../model/merge/mix-parameters.js';
import { loadRecipe } from '../recipe/load.js';
import type { TimedEvent } from '../run/events.js';
import type { RunDirectory } from '../run/run-directory.js';
import { trainedKinds } from './model/kinds.js';
import { takeRole } from './process/processes.js';
import { bothRoles, eventsOf, startRun as start, stopAfter, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-merge-run-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const STAGES = (merge: string): string =>
  `stages=[{name: train, steps: 20, negatives: [{source: in-batch}, {source: random, count: 1}]}, {name: soup, make: {name: merge, ${merge}}}]`;
const MERGE = 'weights: [0, 0.5, 0.9, 1], pool: 5';

const startRun = (name: string, set: string[] = [], merge = MERGE, recipe = 'tiny'): Promise<RunDirectory> =>
  start(folder, name, { recipe, set: [STAGES(merge), ...set] });

interface Merge {
  measure: string;
  documents: number;
  queries: number;
  candidates: { trained: number; value: number }[];
  trained: number;
}

async function mergeOf(run: RunDirectory): Promise<Merge> {
  const [made] = (await readdir(run.file('made'))).filter((name) => name.startsWith('soup-'));
  return JSON.parse(await readFile(run.file('made', made, 'merge.json'), 'utf8'));
}

async function evaluationAt(run: RunDirectory, step: number): Promise<number> {
  return JSON.parse(await readFile(run.stepPath('evaluations', step), 'utf8')).measures['RR@10'];
}

describe('a stage that merges', () => {
  let whole: RunDirectory;
  beforeAll(async () => {
    whole = await startRun('whole');
    await bothRoles(whole);
  });

  test('ends with a checkpoint of the mix that measured best, a step after what was trained', async () => {
    expect(await whole.isFinished()).toBe(true);
    expect((await whole.steps('checkpoints')).at(-1)).toBe(21);
    const { candidates, trained, queries } = await mergeOf(whole);
    expect(candidates.map((candidate) => candidate.trained)).toEqual([0, 0.5, 0.9, 1]);
    const best = Math.max(...candidates.map(({ value }) => value));
    expect(candidates.find((candidate) => candidate.trained === trained)!.value).toBe(best);
    expect(queries).toBeGreaterThan(20);
    const { load } = trainedKinds.get('dual');
    const mixed = await load(whole.file('start'));
    mixParameters(mixed.parameters, [
      { parameters: (await load(whole.file('start'))).parameters, weight: 1 - trained },
      { parameters: (await load(whole.stepPath('checkpoints', 20))).parameters, weight: trained },
    ]);
    const saved = await load(whole.stepPath('checkpoints', 21));
    expect(saved.parameters.buffer).toEqual(mixed.parameters.buffer);
  });

  test('is measured like any other checkpoint, and the live view ends at its step', async () => {
    const measured = (await eventsOf(whole, 'inferencer')).filter((event) => event.type === 'evaluation');
    expect(measured.map(({ step }) => step)).toContain(21);
    const made = (await eventsOf(whole, 'trainer')).find((event) => event.type === 'made');
    expect(made).toMatchObject({ step: 21, stage: 'soup', maker: 'merge' });
    const best = Math.max(...measured.map(({ measures }) => measures['RR@10']));
    expect(JSON.parse(await readFile(whole.file('best.json'), 'utf8')).measures['RR@10']).toBe(best);
  });

  test('pools what start and trained find with everything relevant', async () => {
    const { documents, queries } = await mergeOf(whole);
    expect(documents).toBeGreaterThanOrEqual(queries);
    expect(documents).toBeLessThan(14 * 14);
    const small = await startRun('small pool', [], 'weights: [1], pool: 20, documents: 60');
    await bothRoles(small);
    expect((await mergeOf(small)).documents).toBe(60);
  });

  test('on the whole collection a mix measures what its checkpoint does', async () => {
    const run = await startRun('exact', [], 'weights: [0, 1], pool: 0, queries: 0');
    await bothRoles(run);
    const { candidates, documents } = await mergeOf(run);
    expect(documents).toBe(14 * 14);
    expect(candidates[0].value).toBeCloseTo(await evaluationAt(run, 0), 12);
    expect(candidates[1].value).toBeCloseTo(await evaluationAt(run, 20), 12);
  });

  test.each([
    ['while it trains', (event: TimedEvent) => event.type === 'step' && event.step === 12],
    ['while it merges', (event: TimedEvent) => event.type === 'make' && event.done > 0],
    ['when it has merged', (event: TimedEvent) => event.type === 'made'],
  ])('stopped %s, the run goes on to the same bits', async (name, when) => {
    const run = await startRun(name);
    const stop = new AbortController();
    const options = { session: { threads: 1 }, quiet: true, stopSignal: stop.signal };
    const onEvent = (event: TimedEvent): void => {
      if (when(event)) stop.abort();
    };
    await Promise.all([
      takeRole('trainer', run.path, { ...options, onEvent }),
      takeRole('inferencer', run.path, options),
    ]);
    await bothRoles(run);
    expect(await run.isFinished()).toBe(true);
    expect(await mergeOf(run)).toEqual(await mergeOf(whole));
    expect((await weightsOf(run, 21)).equals(await weightsOf(whole, 21))).toBe(true);
    expect((await eventsOf(run, 'trainer')).filter(({ type }) => type === 'start').length).toBe(2);
  });

  test('later stages go on from the mix', async () => {
    const stages = STAGES(MERGE).replace(/\]$/, ', {name: more, steps: 4, negatives: [{source: in-batch}]}]');
    const [run, halved] = [
      await start(folder, 'more', { set: [stages] }),
      await start(folder, 'more halved', { set: [stages] }),
    ];
    await bothRoles(run);
    const steps = (await eventsOf(run, 'trainer')).flatMap((event) =>
      event.type === 'step' ? event.step : [],
    );
    expect(steps.slice(-5)).toEqual([19, 21, 22, 23, 24]);
    await stopAfter(halved, 22);
    await bothRoles(halved);
    expect((await weightsOf(halved, 25)).equals(await weightsOf(run, 25))).toBe(true);
  });

  test('two towers are mixed each with its own start', async () => {
    const run = await startRun('towers', ['model.towers=two'], 'weights: [0.5], pool: 5');
    await bothRoles(run);
    const { load } = trainedKinds.get('dual');
    const [before, trained, mixed] = await Promise.all([
      load(run.file('start')),
      load(run.stepPath('checkpoints', 20)),
      load(run.stepPath('checkpoints', 21)),
    ]);
    for (const tower of ['query', 'document']) {
      const name = `${tower}.encoder.layer.0.output.dense.weight`;
      const [a, b, c] = [before, trained, mixed].map(({ parameters }) => parameters.get(name)[7]);
      expect(b).not.toBe(a);
      expect(c).toBe(Math.fround((a + b) / 2));
    }
  });

  test('asynchronous runs that measure only the end merge, too', async () => {
    const run = await startRun('async', ['refresh.mode=async', 'evaluation.when=end']);
    await bothRoles(run);
    expect(await run.isFinished()).toBe(true);
    expect(await run.steps('evaluations')).toEqual([21]);
    expect((await run.steps('checkpoints')).at(-1)).toBe(21);
  });
});

test('a recipe that merges before anything was trained is wrong', async () => {
  await expect(loadRecipe('tiny', { set: ['stages=[{name: soup, make: {name: merge}}]'] })).rejects.toThrow(
    /stages\.soup\.make: merge compares the start with what was trained/,
  );
  await expect(
    loadRecipe('tiny', { set: [STAGES(MERGE).replace('name: soup', 'name: soup, steps: 2')] }),
  ).rejects.toThrow(/one step, as the stage makes the model/);
});
