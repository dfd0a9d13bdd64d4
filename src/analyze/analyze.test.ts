import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseEvents, type StepEvent } from '../run/events.js';
import type { RunDirectory } from '../run/run-directory.js';
import { takeRole } from '../train/process/processes.js';
import { type Analysis, analyzeRuns } from './analyze.js';
import { figuresOf } from './report/figures.js';
import { reportText, writeReport } from './report/write-report.js';
import { startTinyRun, trainTinyRun, writeTinyData } from './tiny-run.fixture.js';

let folder: string;
let run: RunDirectory;
let analysis: Analysis;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-analyze-'));
  await writeTinyData(folder);
  run = await trainTinyRun(folder, 'run');
  analysis = await analyzeRuns({ runs: [run.path], queries: 40, threads: 1, quiet: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function stepEvents(): Promise<StepEvent[]> {
  const text = await readFile(run.file('events', 'trainer.jsonl'), 'utf8');
  return parseEvents(text).filter((event) => event.type === 'step');
}

describe('curves', () => {
  test('are what the events say', async () => {
    const events = await stepEvents();
    const { curves } = analysis;
    expect(curves!.steps).toBe(30);
    expect(curves!.loss).toEqual({ x: events.map(({ step }) => step), y: events.map(({ loss }) => loss) });
    expect(curves!.groupNorms.embeddings.y).toEqual(events.map(({ groupNorms }) => groupNorms.embeddings));
    expect(curves!.tokensPerSecond.y).toEqual(events.map(({ tokens, seconds }) => tokens / seconds));
    expect(curves!.stages).toEqual([
      { name: 'warmup', start: 0 },
      { name: 'ance', start: 10 },
    ]);
    expect(Object.keys(curves!.dev)).toEqual(['RR@10']);
    expect(curves!.dev['RR@10'].x).toEqual([0, 10, 20, 30]);
  });

  test('by source are the measured ones, and of a stage with one source its own', async () => {
    const events = await stepEvents();
    const { sources } = analysis.curves!;
    expect(Object.keys(sources)).toEqual(['bm25', 'in-batch', 'ann']);
    expect(sources.bm25.loss.y).toEqual(events.slice(0, 10).map(({ loss }) => loss));
    const measured = events.filter((event) => event.sources);
    const ann = measured.map((event) => event.sources!.find(({ source }) => source === 'ann')!);
    expect(sources.ann.gradientNorm).toEqual({
      x: [10, 15, 20, 25],
      y: ann.map(({ gradientNorm }) => gradientNorm),
    });
    expect(sources.ann.groupNorms.bottom.y).toEqual(ann.map(({ groupNorms }) => groupNorms.bottom));
    const row = reportText(analysis)
      .split('\n')
      .find((line) => /^ann +/.test(line))!;
    const mean = (values: number[]): number => values.reduce((sum, value) => sum + value) / values.length;
    const shown = row.trim().split(/ {2,}/).slice(1).map(Number);
    expect(shown[0]).toBeCloseTo(mean(ann.map(({ loss }) => loss)), 1);
    expect(shown).toHaveLength(4);
    expect(figuresOf(analysis).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['loss-by-source', 'gradient-norm-by-source']),
    );
  });

  test('the age of the negatives is a staircase that each refresh brings down', () => {
    const { x, y } = analysis.curves!.indexAge;
    expect(x).toEqual(Array.from({ length: 20 }, (_, i) => 10 + i));
    expect(y).toEqual(Array.from({ length: 20 }, (_, i) => i % 10));
    expect(analysis.curves!.replaced.x).toEqual([20]);
  });
});

test('what was asked for is there and nothing else', async () => {
  expect(analysis).toMatchObject({ format: 1, finished: true, step: 30, recipe: 'tiny' });
  expect(analysis.runs).toBeUndefined();
  const some = await analyzeRuns({ runs: [run.path], sections: ['long-tail'], queries: 5, quiet: true });
  expect(Object.keys(some).sort()).toEqual(
    ['createdBy', 'data', 'finished', 'format', 'longTail', 'recipe', 'run', 'step'].sort(),
  );
});

test('the same run gives the same numbers', async () => {
  const again = await analyzeRuns({ runs: [run.path], queries: 40, threads: 1, quiet: true });
  const { costs: _, ...numbers } = analysis;
  const { costs: __, ...same } = again;
  expect(same).toEqual(numbers);
});

test('negatives from the index teach more than in-batch ones and lie in the true top', () => {
  const gradient = (name: string): number =>
    analysis.gradients!.sources.find(({ source }) => source === name)!.toInBatch;
  expect(gradient('in-batch')).toBe(1);
  expect(gradient('ann step 20')).toBeGreaterThan(1);
  const overlap = Object.fromEntries(analysis.overlap!.sources.map(({ source, shares }) => [source, shares]));
  expect(analysis.overlap!.cutoffs).toEqual([20, 100]);
  expect(overlap['true top']).toEqual([1, 1]);
  expect(overlap['ann step 20'][0]).toBeGreaterThan(2 * overlap.random[0]);
  expect(overlap.random[1]).toBeCloseTo(analysis.overlap!.chance[1], 1);
});

test('costs come from the events and are those of the parts', async () => {
  const { rows, stepsPerRefresh, threads } = analysis.costs!;
  expect(threads).toEqual({ trainer: 1, inferencer: 1 });
  expect(stepsPerRefresh).toBeGreaterThan(0);
  const encode = rows.find(({ what }) => what === 'encode the corpus')!;
  expect(encode.seconds! / encode.each!).toBeCloseTo(196, 5);
  expect(rows.map(({ part }) => part)).toEqual(expect.arrayContaining(['refresh', 'training', 'serving']));
  for (const { seconds, each } of rows) expect(seconds ?? each).toBeGreaterThanOrEqual(0);
});

test('the report is one page that asks nobody for anything, with each figure beside it', async () => {
  const out = join(folder, 'report');
  await writeReport(out, analysis);
  const names = await readdir(out);
  const figures = figuresOf(analysis);
  expect(names.sort()).toEqual(
    ['analysis.json', 'index.html', ...figures.map(({ name }) => `${name}.svg`)].sort(),
  );
  expect(figures.length).toBeGreaterThanOrEqual(9);
  const html = await readFile(join(out, 'index.html'), 'utf8');
  const withoutNamespaces = html.replaceAll('xmlns="http://www.w3.org/2000/svg"', '');
  expect(withoutNamespaces).not.toMatch(/https?:|\/\/[a-z]|<script|<link|@import|url\(|\ssrc=/i);
  expect(html).toContain('prefers-color-scheme:dark');
  for (const { svg } of figures) {
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(html).toContain(svg);
  }
  const saved = JSON.parse(await readFile(join(out, 'analysis.json'), 'utf8'));
  expect(saved.overlap).toEqual(JSON.parse(JSON.stringify(analysis.overlap)));
  expect(reportText(analysis)).toContain('ann step 20');
  await writeReport(out, analysis);
});

test('a folder with other files is not replaced', async () => {
  const out = join(folder, 'mixed');
  await mkdir(out);
  await writeFile(join(out, 'precious.txt'), 'mine');
  await expect(writeReport(out, analysis)).rejects.toThrow(
    "expected a run's report and nothing else, got precious.txt",
  );
});

test('several runs are compared, each with the settings in which it differs', async () => {
  const other = await trainTinyRun(folder, 'faster', ['optimizer.learningRate=5e-3', 'checkpoint.every=20']);
  const { runs } = await analyzeRuns({ runs: [run.path, other.path], sections: ['compare'] });
  expect(runs!.map(({ label }) => label)).toEqual([
    'run: optimizer.learningRate=0.001 checkpoint.every=10',
    'faster: optimizer.learningRate=0.005 checkpoint.every=20',
  ]);
  expect(runs![0].differences).toEqual([]);
  expect(Math.max(...runs![1].indexAge.y)).toBe(19);
  expect(runs![1].jumpAtSwitch).toBeUndefined();
  expect(runs![0].jumpAtSwitch).toBeTypeOf('number');
  const { gradientNorm, lateGradientNorm } = runs![0];
  const late = gradientNorm.y.slice(-Math.ceil(gradientNorm.y.length / 3));
  expect(lateGradientNorm).toBeCloseTo(late.reduce((sum, norm) => sum + norm) / late.length, 8);
});

test('gradient norms of compared runs have a panel for each layer group, with a line for each run', async () => {
  const deeper = await trainTinyRun(folder, 'deeper', ['model.layers=3']);
  const compared = await analyzeRuns({ runs: [run.path, deeper.path], sections: ['compare'] });
  const [shallow, deep] = compared.runs!;
  const events = (await stepEvents()).map(({ groupNorms }) => groupNorms.bottom);
  expect(shallow.groupNorms.bottom).toEqual({ x: events.map((_, step) => step), y: events });
  const late = events.slice(-10);
  expect(shallow.lateGroupNorms.bottom).toBeCloseTo(late.reduce((sum, norm) => sum + norm) / 10, 8);
  expect(Object.keys(deep.groupNorms)).toEqual(['embeddings', 'bottom', 'middle', 'top']);
  const { svg } = figuresOf(compared).find(({ name }) => name === 'compare-gradient-norm-by-group')!;
  for (const group of Object.keys(deep.groupNorms)) expect(svg).toContain(`>${group}</text>`);
  expect(svg.match(/<path class="nm-[01]"[^>]* d="M/g)).toHaveLength(2 + 4);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  const table = reportText(compared).split('Gradient norm by layer group')[1];
  expect(table).toMatch(/run +embeddings +bottom +middle +top/);
  expect(table).toMatch(/layers=1 .* – +–/);
});

test('a run whose first checkpoint is there, and nothing else yet, is analysed', async () => {
  const begun = await startTinyRun(folder, 'first-checkpoint');
  const options = { session: { threads: 1 }, quiet: true, stopSignal: AbortSignal.abort() };
  await takeRole('trainer', begun.path, options);
  const early = await analyzeRuns({ runs: [begun.path], queries: 10, threads: 1, quiet: true });
  expect(early).toMatchObject({ finished: false, step: 0, curves: { steps: 0 } });
  expect(early.gradients!.sources.map(({ source }) => source)).toEqual([
    'random',
    'in-batch',
    'bm25',
    'true top',
  ]);
  expect(early.costs!.rows.map(({ part }) => part)).toEqual(['serving', 'serving', 'serving']);
  expect(early.costs!.stepsPerRefresh).toBeUndefined();
  for (const { svg } of figuresOf(early)) expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  await writeReport(join(folder, 'early'), early);
});

test('what cannot be analysed is told', async () => {
  const nothing = analyzeRuns({ runs: [join(folder, 'nowhere')] });
  await expect(nothing).rejects.toThrow('not a run: expected run.json in it');
  const begun = await startTinyRun(folder, 'begun');
  await expect(analyzeRuns({ runs: [begun.path] })).rejects.toThrow('this run has no checkpoint yet');
  const { curves } = await analyzeRuns({ runs: [begun.path], sections: ['curves'] });
  expect(curves!.steps).toBe(0);
  expect(figuresOf({ ...analysis, curves, gradients: undefined })).not.toHaveLength(0);
  const gone = analyzeRuns({ runs: [run.path], step: 7 });
  await expect(gone).rejects.toThrow('no checkpoint of step 7');
});
