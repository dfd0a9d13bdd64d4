import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RunDirectory } from '../run/run-directory.js';
import { curvesOf } from './curves.js';
import { readHistory } from './history.js';
import { thin } from './series.js';

async function runWith(events: Record<string, string[]>): Promise<RunDirectory> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-history-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'events'));
  for (const [name, lines] of Object.entries(events)) {
    await writeFile(join(folder, 'events', `${name}.jsonl`), lines.join('\n'));
  }
  return new RunDirectory(folder);
}

function step(number: number, loss: number, negativesVersion?: number): string {
  const numbers = { loss, gradientNorm: 1, learningRate: 1, tokens: 10, seconds: 2 };
  return JSON.stringify({
    type: 'step',
    step: number,
    ...numbers,
    groupNorms: { top: loss / 2 },
    negativesVersion,
  });
}

test('steps repeated after a crash count once, the last time, and a cut-off line not at all', async () => {
  const run = await runWith({
    trainer: [step(0, 5), step(1, 4), step(2, 3, 0), step(1, 40), step(2, 30, 1), '{"type":"step","st'],
  });
  const history = await readHistory(run);
  expect(history.steps.loss).toEqual([5, 40, 30]);
  expect(history.steps.groupNorms.top).toEqual([2.5, 20, 15]);
  const { indexAge, tokensPerSecond } = curvesOf(history, { stages: [] });
  expect(indexAge).toEqual({ x: [2], y: [1] });
  expect(tokensPerSecond.y).toEqual([5, 5, 5]);
});

test('what was measured of sources stands at its steps', async () => {
  const sources = [{ source: 'ann', loss: 7, gradientNorm: 8, groupNorms: { top: 9 } }];
  const measured = JSON.stringify({ ...JSON.parse(step(1, 4)), sources });
  const { steps } = await readHistory(await runWith({ trainer: [step(0, 5), measured, step(2, 3)] }));
  expect(steps.loss).toEqual([5, 4, 3]);
  const none = Number.NaN;
  expect(steps.sources).toEqual({
    ann: { loss: [none, 7], gradientNorm: [none, 8], groupNorms: { top: [none, 9] } },
  });
});

test('a step whose event is missing leaves a gap', async () => {
  const { steps } = await readHistory(await runWith({ trainer: [step(0, 5), step(3, 2)] }));
  expect(steps.loss).toEqual([5, Number.NaN, Number.NaN, 2]);
  const { loss } = curvesOf(await readHistory(await runWith({ trainer: [step(0, 5), step(3, 2)] })), {
    stages: [],
  });
  expect(loss).toEqual({ x: [0, 3], y: [5, 2] });
});

test('a run without events has empty curves', async () => {
  const { loss, dev } = curvesOf(await readHistory(await runWith({})), { stages: [] });
  expect(loss).toEqual({ x: [], y: [] });
  expect(dev).toEqual({});
});

test('thinning keeps means and extremes, and short curves as they are', () => {
  const x = Array.from({ length: 1000 }, (_, i) => i);
  const y = x.map((value) => value % 2);
  const thinned = thin({ x, y }, 100);
  expect(thinned.x).toHaveLength(100);
  expect(thinned.x[0]).toBe(4.5);
  expect(new Set(thinned.y)).toEqual(new Set([0.5]));
  expect(new Set(thinned.low)).toEqual(new Set([0]));
  expect(new Set(thinned.high)).toEqual(new Set([1]));
  expect(thin({ x: [1], y: [2] })).toEqual({ x: [1], y: [2] });
});
