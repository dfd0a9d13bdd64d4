import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { leaveForeignLock, whileItLives } from '../base/lock/foreign-lock.fixture.js';
import { UsearchGraph } from '../index/vectors/hnsw/usearch.js';
import { CandidateTable } from '../negatives/index.js';
import { EventWriter, ROLES, type TimedEvent } from '../run/events.js';
import { fixedTableNames } from '../run/fixed-tables.js';
import { newestModel, openRun } from '../run/open-run.js';
import { readRunDescription } from '../run/run-description.js';
import type { RunDirectory } from '../run/run-directory.js';
import { openSearcher } from '../search/index.js';
import { trainedKinds } from './model/kinds.js';
import { takeRole } from './process/processes.js';
import { DenseCheckpoint } from './refresh/dense-checkpoint.js';
import { bothRoles, eventsOf, ONE_THREAD, startRun as start, stopAfter, weightsOf } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';
import { runTrainer } from './trainer.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-run-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The steps at which a run's Trainer was started. */
async function startsOf(run: RunDirectory): Promise<number[]> {
  return (await eventsOf(run, 'trainer')).flatMap((event) => (event.type === 'start' ? event.step : []));
}

const startRun = (name: string, set: string[] = [], recipe?: string): Promise<RunDirectory> =>
  start(folder, name, { recipe, set });

test('Trainer and Inferencer learn together, and dev measures rise', async () => {
  const run = await startRun('together', ['stages.ance.steps=60', 'checkpoint.every=20']);
  await bothRoles(run);
  const measured = (await eventsOf(run, 'inferencer')).filter((event) => event.type === 'evaluation');
  const first = measured[0].measures['RR@10'];
  const best = Math.max(...measured.map(({ measures }) => measures['RR@10']));
  expect(best).toBeGreaterThan(first + 0.1);
  expect(await run.isFinished()).toBe(true);
  const refreshes = (await eventsOf(run, 'inferencer')).filter((event) => event.type === 'refresh');
  for (const { queries, mining } of refreshes) {
    const { ranked, kept, removed, ...left } = mining!;
    expect(ranked).toBe(20 * queries);
    expect(kept + removed['known-positives'] + removed.duplicates).toBe(ranked);
    expect(left).toEqual({ trainingQueries: queries, withoutCandidates: 0 });
  }
});

test('a lockstep run is a function of its seed', async () => {
  const runs = [await startRun('first'), await startRun('second')];
  for (const run of runs) await bothRoles(run);
  expect((await weightsOf(runs[0], 30)).equals(await weightsOf(runs[1], 30))).toBe(true);
});

test('a graph is built by one thread in lockstep, since with more it depends on their timing', async () => {
  const added = vi.spyOn(UsearchGraph.prototype, 'add');
  const threadsOf = async (mode: string): Promise<number[]> => {
    added.mockClear();
    const run = await startRun(`graph ${mode}`, ['refresh.index.type=hnsw', `refresh.mode=${mode}`]);
    const { recipe } = await readRunDescription(run);
    const { data } = await openRun(run.path, { quiet: true });
    await (await DenseCheckpoint.open(0, { run, recipe, data, session: { threads: 2 } })).close();
    await data.close();
    return added.mock.calls.map(([, , threads]) => threads);
  };
  expect(new Set(await threadsOf('lockstep'))).toEqual(new Set([1]));
  expect(new Set(await threadsOf('async'))).toEqual(new Set([2]));
  added.mockRestore();
});

test('a run that is stopped goes on where it was, to the same bits', async () => {
  const [whole, halved] = [await startRun('whole'), await startRun('halved')];
  await bothRoles(whole);
  await stopAfter(halved, 17);
  expect(await halved.isFinished()).toBe(false);
  expect(await halved.steps('resume')).toEqual([18]);
  await bothRoles(halved);
  expect((await startsOf(halved)).at(-1)).toBe(18);
  expect(await halved.steps('resume')).toEqual([]);
  expect((await weightsOf(halved, 30)).equals(await weightsOf(whole, 30))).toBe(true);
});

test.each([
  ['two towers', ['model.towers=two']],
  ['MaxP', ['model.passages={mode: max, pieces: 3}', 'model.maxLength.document=4']],
  ['codes in bits', ['refresh.index.type=binary']],
  [
    'prefixes, and an index of them in 8 bits',
    ['loss.name=matryoshka', 'loss.dimensions=[4]', 'refresh.index.type=int8', 'refresh.index.dimensions=4'],
  ],
  ['hnsw and a rotating share of the queries', ['refresh.index.type=hnsw', 'refresh.share=0.5']],
  ['asynchronous refreshes', ['refresh.mode=async']],
  ['LAMB, hinge and gradient caching', ['optimizer.name=lamb', 'loss.name=hinge', 'batch.cacheTokens=128']],
])('%s learn', async (name, set) => {
  const longer = ['stages.ance.steps=50', 'checkpoint.every=20', 'optimizer.learningRate=5e-3'];
  const run = await startRun(name, [...longer, ...set]);
  await bothRoles(run);
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  expect(steps).toHaveLength(60);
  const measured = (await eventsOf(run, 'inferencer'))
    .filter((event) => event.type === 'evaluation')
    .map(({ measures }) => measures['RR@10']);
  expect(Math.max(...measured.slice(1)), `RR@10 of ${measured}`).toBeGreaterThan(measured[0] + 0.1);
  const searcher = await openSearcher(run.path, { modes: ['dense'], threads: 1 });
  const [hits] = await searcher.retriever('dense').search(['gox'], { k: 5 });
  await searcher.close();
  expect(hits).toHaveLength(5);
});

test('what a run started from is measured first, however late the Inferencer begins', async () => {
  const stages = 'stages=[{name: warmup, steps: 15, negatives: [{source: bm25, depth: 20}]}]';
  const run = await startRun('late', ['refresh.mode=async', 'checkpoint.every=5', stages]);
  for (const role of ROLES) await takeRole(role, run.path, ONE_THREAD);
  expect(await run.steps('evaluations')).toEqual([0, 15]);
});

test('a share of the queries is mined at each refresh, those that waited longest', async () => {
  const set = ['refresh.share=0.2', 'checkpoint.every=2', 'evaluation.when=end'];
  const run = await startRun('rotating', set);
  await bothRoles(run);
  const refreshes = (await eventsOf(run, 'inferencer')).filter((event) => event.type === 'refresh');
  expect(refreshes.map(({ step }) => step)).toEqual([10, 12, 14, 16, 18, 20, 22, 24, 26, 28]);
  const { checkpoints } = await CandidateTable.load(run.stepPath('negatives', 28));
  expect(new Set(checkpoints)).toEqual(new Set([20, 22, 24, 26, 28]));
});

test('where checkpoints are far apart, something to go on from is saved between them', async () => {
  const run = await startRun('between', ['checkpoint.every=100', 'stages.warmup.steps=6']);
  const { description, stages } = await openRun(run.path, { quiet: true });
  const model = await trainedKinds.get('dual').load(await newestModel(run));
  const events = await EventWriter.open(run.file('events', 'trainer.jsonl'));
  const saved: number[][] = [];
  const shouldStop = async (): Promise<boolean> => {
    saved.push(await run.steps('resume'));
    return saved.length > 5;
  };
  const session = { threads: 1 };
  await runTrainer({
    run,
    description,
    stages,
    model,
    events,
    session,
    shouldStop,
    saveEveryMs: 0,
  });
  await events.close();
  await stages.close();
  expect(saved).toEqual([[], [], [1], [2], [3], [4]]);
  expect(await run.steps('resume')).toEqual([5]);
});

test('checkpoints that nobody will measure do not pile up', async () => {
  const run = await startRun('pruned', [
    'evaluation.when=end',
    'checkpoint.every=2',
    'stages.ance.negatives=[{source: in-batch}]',
  ]);
  const most = { checkpoints: 0 };
  const onEvent = (event: TimedEvent): void => {
    if (event.type !== 'step') return;
    const { length } = readdirSync(run.file('checkpoints')).filter((name) => name.startsWith('step-'));
    most.checkpoints = Math.max(most.checkpoints, length);
  };
  await takeRole('trainer', run.path, { session: { threads: 1 }, quiet: true, onEvent });
  expect(most.checkpoints).toBe(2);
});

test('static negatives of a training file', async () => {
  const lines = (await readFile(join(folder, 'data/qrels/train.tsv'), 'utf8')).trim().split('\n').slice(1);
  const pairs = lines.map((line) => line.split('\t'));
  const negativeOf = (i: number): string => pairs[(i + 7) % pairs.length][1];
  const examples = pairs.map(([query, document], i) =>
    JSON.stringify({
      query_id: query,
      query_text: query,
      positive_document_ids: [document],
      negative_document_ids: [negativeOf(i)],
    }),
  );
  const file = join(folder, 'static.jsonl');
  await writeFile(file, `${examples.join('\n')}\n`);
  const negatives = `[{source: in-batch}, {source: static, file: ${file}}]`;
  const run = await startRun('static', [
    'stages.warmup.negatives=[{source: in-batch}]',
    `stages.ance.negatives=${negatives}`,
  ]);
  await bothRoles(run);
  const [name] = await fixedTableNames(run);
  const table = await CandidateTable.load(run.file('negatives', name));
  expect(table.queryCount).toBe(pairs.length);
  expect(new Set(table.counts)).toEqual(new Set([1]));
});

test('a run ends early when nothing gets better any more', async () => {
  const set = [
    'evaluation.patience=1',
    'optimizer.learningRate=1e-12',
    'checkpoint.every=5',
    'stages.ance.steps=200',
  ];
  const run = await startRun('patience', set);
  await bothRoles(run);
  const steps = (await eventsOf(run, 'trainer')).filter((event) => event.type === 'step');
  // Step 5 is no better than step 0, and the checkpoint after it is the last.
  expect(steps).toHaveLength(10);
  expect(await run.isFinished()).toBe(true);
});

test('a margin that leaves no query a negative ends the run', async () => {
  const run = await startRun('no negatives', [
    'stages=[{name: ance, steps: 9, negatives: [{source: ann, depth: 20, margin: 1000}]}]',
  ]);
  const stop = new AbortController();
  const trainer = takeRole('trainer', run.path, {
    session: { threads: 1 },
    quiet: true,
    stopSignal: stop.signal,
  });
  await expect(takeRole('inferencer', run.path, { session: { threads: 1 }, quiet: true })).rejects.toThrow(
    /^ann negatives of step 0: none of the \d+ training queries has a candidate: .* rule margin removed most/,
  );
  stop.abort();
  await trainer;
  expect(await run.steps('negatives')).toEqual([]);
});

test('a second trainer is refused', async () => {
  const run = await startRun('taken');
  const options = { session: { threads: 1 }, quiet: true };
  let first: Promise<void> | undefined;
  await new Promise<void>((started) => {
    first = takeRole('trainer', run.path, { ...options, onEvent: () => started() });
  });
  await expect(takeRole('trainer', run.path, options)).rejects.toThrow("is this run's trainer already");
  await Promise.all([first, takeRole('inferencer', run.path, options)]);
});

test('a second trainer is refused where the first is on another machine', async () => {
  const run = await startRun('taken elsewhere');
  const lock = run.file('trainer.lock');
  await leaveForeignLock(lock);
  await expect(
    whileItLives(lock, () => takeRole('trainer', run.path, { quiet: true })),
  ).rejects.toMatchObject({
    message: `${run.path}: process 4711 on elsewhere (since 2026-01-31T10:00:00.000Z) is this run's trainer already`,
    hint: expect.stringContaining('stop that process first there; 60 s after its last sign of life'),
  });
});

test('a trainer stops where another machine has taken its role', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const run = await startRun('lost');
  const options = { session: { threads: 1 }, quiet: true };
  let trainer: Promise<void> | undefined;
  await new Promise<void>((started) => {
    trainer = takeRole('trainer', run.path, { ...options, onEvent: () => started() });
  });
  await leaveForeignLock(run.file('trainer.lock'));
  const stopped = expect(trainer).rejects.toThrow('this process has lost its lock');
  await vi.advanceTimersByTimeAsync(5_000);
  await stopped;
  expect(await run.isFinished()).toBe(false);
});

test('a folder that is no run is left as it was', async () => {
  await expect(takeRole('inferencer', join(folder, 'data'))).rejects.toThrow(
    'not a run: expected run.json in it',
  );
  expect((await readdir(join(folder, 'data'))).sort()).toEqual(['corpus.jsonl', 'qrels', 'queries.jsonl']);
});

test('what cannot be trained on says so before anything is written', async () => {
  await expect(startRun('no split', ['evaluation.split=validation'])).rejects.toThrow(
    'no split "validation", only',
  );
  await expect(startRun('no model', ['model.init=nowhere/at-all/x'], 'rand-neg')).rejects.toThrow(
    'no such model folder',
  );
});
