import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadRecipe } from '../../recipe/load.js';
import type { RunEvent } from '../../run/events.js';
import { RunDirectory } from '../../run/run-directory.js';
import { readHistory } from '../history.js';
import { lastEvents } from './event-tail.js';
import { WatchedRun } from './watched-run.js';

let run: RunDirectory;
let watched: WatchedRun;
const events = (role = 'trainer') => run.file('events', `${role}.jsonl`);

beforeEach(async () => {
  run = new RunDirectory(await mkdtemp(join(tmpdir(), 'nearmiss-watched-')));
  onTestFinished(() => rm(run.path, { recursive: true }));
  await mkdir(run.file('events'));
  const { recipe } = await loadRecipe('tiny');
  await writeFile(
    run.file('run.json'),
    JSON.stringify({ format: 1, data: 'data/none', split: 'train', recipe }),
  );
  watched = new WatchedRun(run.path);
});

function line(event: RunEvent, seconds = 0): string {
  return `${JSON.stringify({ time: new Date(1e12 + 1000 * seconds).toISOString(), ...event })}\n`;
}

function step(number: number, negativesVersion?: number): RunEvent {
  return {
    type: 'step',
    step: number,
    totalSteps: 30,
    stage: number < 10 ? 'warmup' : 'ance',
    loss: 10 - number / 3,
    learningRate: 1,
    gradientNorm: 1 + number,
    groupNorms: { top: number },
    tokens: 100,
    seconds: 0.5,
    negativesVersion,
  };
}

test('each look adds what came since, and nothing twice', async () => {
  expect((await watched.look()).history.steps.loss).toEqual([]);
  await appendFile(events(), line(step(0)) + line(step(1)));
  const [one, two] = await Promise.all([watched.look(), watched.look()]);
  expect(one.training.losses.means).toEqual([10, 10 - 1 / 3]);
  expect(two.training).toEqual(one.training);
  await appendFile(events(), line(step(2)));
  expect((await watched.look()).history).toEqual(await readHistory(run));
  expect((await watched.look()).training.step).toBe(3);
});

test('a line that is still being written is read when it is complete', async () => {
  const whole = line(step(0));
  await appendFile(events(), whole.slice(0, 40));
  expect((await watched.look()).training.step).toBe(0);
  await appendFile(events(), whole.slice(40));
  expect((await watched.look()).training.step).toBe(1);
});

test('more than one chunk, with a line longer than a chunk among them', async () => {
  const message = 'é'.repeat(800_000);
  const many = Array.from({ length: 5000 }, (_, i) => line(step(i)));
  await appendFile(
    events(),
    many.join('') +
      line({ type: 'log', level: 'warning', message: 'few candidates are left' }) +
      line({ type: 'log', level: 'error', message }) +
      line(step(5000)),
  );
  const { history, trails } = await watched.look();
  expect(history.steps.loss).toHaveLength(5001);
  expect(trails.trainer).toMatchObject({ problem: message, warning: 'few candidates are left' });
  expect((await lastEvents(events())).at(-1)).toMatchObject({ type: 'step', step: 5000 });
});

test('the version changes with the events and only with them', async () => {
  const before = await watched.version();
  expect(await watched.version()).toBe(before);
  await appendFile(events('inferencer'), line({ type: 'start', process: 'inferencer', step: 0 }));
  const after = await watched.version();
  expect(after).not.toBe(before);
  expect((await watched.curves()).version).toBe(after);
});

test('a run that was started over is read from its beginning', async () => {
  await appendFile(events(), line(step(0)) + line(step(1)) + line(step(2)));
  await watched.look();
  await rm(events());
  await appendFile(events(), line(step(0)));
  expect((await watched.curves()).curves.loss.x).toEqual([0]);
});

test('age and version of the negatives come by their corners; norms by the sources of their stage', async () => {
  const version = (number: number) => (number < 10 ? undefined : number < 18 ? 10 : 15);
  await appendFile(events(), Array.from({ length: 25 }, (_, i) => line(step(i, version(i)))).join(''));
  const { curves } = await watched.curves();
  expect(curves.negativesVersion).toEqual({ x: [10, 17, 18, 24], y: [10, 10, 15, 15] });
  expect(curves.indexAge).toEqual({ x: [10, 17, 18, 24], y: [0, 7, 3, 9] });
  expect(Object.keys(curves.sourceNorms)).toEqual(['bm25', 'in-batch + ann']);
  expect(curves.sourceNorms.bm25).toEqual({ x: range(0, 10), y: range(1, 11) });
  expect(curves.sourceNorms['in-batch + ann'].x).toEqual(range(10, 25));
});

test('sources that were measured by themselves stand for their stage', async () => {
  const sources = ['in-batch', 'ann'].map((source, nth) => ({
    source,
    loss: 1,
    gradientNorm: 2 + nth,
    groupNorms: { top: 1 },
  }));
  const measured = (number: number): RunEvent => ({ ...step(number), sources }) as RunEvent;
  const lines = Array.from({ length: 25 }, (_, i) => line(i === 10 || i === 20 ? measured(i) : step(i)));
  await appendFile(events(), lines.join(''));
  const { sourceNorms } = (await watched.curves()).curves;
  expect(sourceNorms).toEqual({
    bm25: { x: range(0, 10), y: range(1, 11) },
    'in-batch': { x: [10, 20], y: [2, 2] },
    ann: { x: [10, 20], y: [3, 3] },
  });
});

test('the pace is that of the present process: a night between two of them does not count', async () => {
  const start: RunEvent = { type: 'start', process: 'trainer', step: 0 };
  await appendFile(events(), line(start, 0) + line(step(0), 2) + line(step(1), 4));
  expect((await watched.look()).training.secondsLeft).toBe(2 * 28);
  await appendFile(events(), line(start, 40_000) + line(step(2), 40_003) + line(step(3), 40_006));
  expect((await watched.look()).training.secondsLeft).toBe(3 * 26);
});

test('what the processes are doing', async () => {
  const encode = (done: number): RunEvent => ({ type: 'encode', step: 10, done, total: 90 });
  await appendFile(events(), line({ type: 'wait', step: 10, for: 'negatives of checkpoint 10' }));
  await appendFile(
    events('inferencer'),
    line({ type: 'start', process: 'inferencer', step: 0, threads: 3 }) + line(encode(30)),
  );
  const { trainer, inferencer } = (await watched.look()).trails;
  expect(trainer.activity).toBe('waiting for negatives of checkpoint 10');
  expect(inferencer).toMatchObject({ threads: 3, encoding: { step: 10, done: 30, total: 90 }, ended: false });
  await appendFile(
    events('inferencer'),
    line(encode(90)) + line({ type: 'end', process: 'inferencer', step: 10 }),
  );
  expect((await watched.look()).trails.inferencer).toMatchObject({ encoding: undefined, ended: true });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
