import { readFile } from 'node:fs/promises';
import { exists } from '../../base/files.js';
import type { Qrels } from '../../data/index.js';
import { openDataset } from '../../data/index.js';
import { evaluate, pairedTTest, type Run } from '../../evaluate/index.js';
import { parseEvents } from '../../train/events.js';
import { loadRecipe } from '../../train/recipe/load.js';
import type { Recipe } from '../../train/recipe/recipe.js';
import type { RunDirectory } from '../../train/run-directory.js';
import { measureBm25, measureRun } from './measure-row.js';
import { MEASURES, TABLE1_ROWS, UNTRAINED } from './rows.js';
import { scaleSteps, type TrainRowOptions, trainRow } from './train-row.js';

export interface Table1Options extends TrainRowOptions {
  /** Split that systems are compared on. */
  testSplit: string;
  /** Shorter training by this factor, the same for all rows. */
  stepFactor: number;
  set: string[];
  /** Recipes to train; all rows when left out. */
  recipes?: readonly string[];
  threads?: number;
  onRow?: (row: Table1Result) => void;
}

/** One line of the table. */
export interface Table1Result {
  system: string;
  measures: Record<string, number>;
  /** The same measures when the system reorders BM25's best; absent for BM25 itself. */
  rerank?: Record<string, number>;
  /** Paired t-test on RR@10 against each other system. */
  pValues: Record<string, number>;
  steps: number;
  /** Time the Trainer computed. */
  seconds: number;
}

interface Measured {
  system: string;
  retrieval: Run;
  rerank?: Run;
  steps: number;
  seconds: number;
}

/** Trains and measures every row of the ANCE paper's Table 1 on a collection, skipping what is done. */
export async function reproduceTable1(
  options: Table1Options,
): Promise<{ dataset: string; rows: Table1Result[] }> {
  const dataset = await openDataset(options.data);
  const qrels = await dataset.qrels(options.testSplit);
  const measured: Measured[] = [];
  const report = (): void => options.onRow?.(resultOf(measured.at(-1)!, measured, qrels));
  for (const { system, recipe: name } of TABLE1_ROWS) {
    if (options.recipes && !options.recipes.includes(name)) continue;
    const { recipe } = await loadRecipe(name, { set: options.set });
    const run = await trainRow(scaleSteps(recipe, options.stepFactor), options);
    if (measured.length === 0) {
      measured.push({ system: UNTRAINED.bm25, retrieval: await bm25Of(run, options), steps: 0, seconds: 0 });
      report();
      const start = await measureStep(run, 0, UNTRAINED.start, measured[0].retrieval, options);
      measured.push({ ...start, steps: 0, seconds: 0 });
      report();
    }
    const step = (await run.steps('evaluations')).at(-1)!;
    const row = await measureStep(run, step, system, measured[0].retrieval, options);
    measured.push({ ...row, steps: totalSteps(recipe, options.stepFactor) });
    report();
  }
  return { dataset: dataset.name, rows: measured.map((row) => resultOf(row, measured, qrels)) };
}

async function bm25Of(run: RunDirectory, { testSplit }: Table1Options): Promise<Run> {
  return measureBm25(run, { system: UNTRAINED.bm25, split: testSplit });
}

async function measureStep(
  run: RunDirectory,
  step: number,
  system: string,
  bm25: Run,
  { testSplit, threads }: Table1Options,
): Promise<Measured> {
  const runs = await measureRun(run, { system, step, split: testSplit, bm25, session: { threads } });
  return { system, ...runs, steps: step, seconds: await trainerSeconds(run) };
}

async function trainerSeconds(run: RunDirectory): Promise<number> {
  const path = run.file('events', 'trainer.jsonl');
  if (!(await exists(path))) return 0;
  const events = parseEvents(await readFile(path, 'utf8'));
  return events.reduce((sum, event) => sum + (event.type === 'step' ? event.seconds : 0), 0);
}

function resultOf(row: Measured, all: readonly Measured[], qrels: Qrels): Table1Result {
  const values = (run: Run): Record<string, number> => ({
    ...evaluate(run, qrels, MEASURES, { complete: true }).mean,
  });
  const reciprocal = (run: Run): Float64Array =>
    evaluate(run, qrels, ['RR@10'], { complete: true }).perQuery['RR@10'];
  const own = reciprocal(row.retrieval);
  const others = all.filter(({ system }) => system !== row.system);
  return {
    system: row.system,
    measures: values(row.retrieval),
    ...(row.rerank && { rerank: values(row.rerank) }),
    pValues: Object.fromEntries(
      others.map((other) => [other.system, pairedTTest(own, reciprocal(other.retrieval)).p]),
    ),
    steps: row.steps,
    seconds: row.seconds,
  };
}

function totalSteps(recipe: Recipe, factor: number): number {
  return scaleSteps(recipe, factor).stages.reduce((sum, { steps }) => sum + steps, 0);
}
