import { readHistory } from '../../analyze/history.js';
import { mean } from '../../base/numbers/mean.js';
import type { Qrels } from '../../data/index.js';
import { openDataset } from '../../data/index.js';
import { evaluate, pairedTTest, type Run } from '../../evaluate/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { measureBm25, measureRun, type SystemRuns } from './measure-row.js';
import { MEASURES, selectRows, type TableKind, type TableRow, UNTRAINED } from './row.js';
import { rowRecipe } from './row-recipe.js';
import { keepResults } from './row-room.js';
import { runsOf, type TableRunsOptions, trainingsOf } from './row-runs.js';
import { costOfRows, type RowsCost } from './rows-cost.js';
import { meanOfMeasures, meanOfQueries, optionsOfSeeds } from './seeds.js';
import type { PlannedRun } from './train-row.js';

export interface TableOptions extends TableRunsOptions {
  /** Split that systems are compared on. */
  testSplit: string;
  /** Names of the rows to train; all when left out. */
  recipes?: readonly string[];
  /** Every row is trained with each of them; left out, once with its recipe's own. */
  seeds?: readonly number[];
  threads?: number;
  /** Told what will be trained, before anything is. */
  onPlan?: (cost: RowsCost) => void | Promise<void>;
  onRow?: (row: TableResult) => void;
}

/** One line of the table. */
export interface TableResult {
  system: string;
  /** With several seeds, their mean. */
  measures: Record<string, number>;
  /** The same measures when the system reorders BM25's best; absent for BM25 itself. */
  rerank?: Record<string, number>;
  /** Paired t-test on the first measure of a query, its mean over seeds, against each other system. */
  pValues: Record<string, number>;
  steps: number;
  /** Time the Trainer computed, in a warm-up too; with several seeds, their mean. */
  seconds: number;
  /** What each seed came to, where the table has several. */
  seeds?: { seed: number; measures: Record<string, number> }[];
}

/** A table that was made. */
export interface Table {
  dataset: string;
  rows: TableResult[];
}

/** What a system came to with one seed. */
interface Trial {
  seed?: number;
  measures: Record<string, number>;
  rerank?: Record<string, number>;
  /** The first measure of each query. */
  values: Float64Array;
  seconds: number;
}

interface Measured {
  system: string;
  trials: [Trial, ...Trial[]];
  steps: number;
}

/**
 * Trains and measures the rows of a table on a collection, skipping what is done. Rows that are not asked for are in the
 * table too where they were done before with the same settings.
 */
export async function reproduceTable(options: TableOptions): Promise<Table> {
  const recipes = await tableRecipes(options);
  const seeds = optionsOfSeeds(options);
  if (options.onPlan) await options.onPlan(await costOfTable([...recipes.keys()], seeds));
  const dataset = await openDataset(options.data);
  const measuring = { ...options.table, qrels: await dataset.qrels(options.testSplit) };
  const measured: Measured[] = [];
  const add = (row: Measured): void => {
    measured.push(row);
    options.onRow?.(resultOf(row, measured));
  };
  let bm25: Run | undefined;
  let first: RunDirectory | undefined;
  for (const row of options.table.rows) {
    const trials: Trial[] = [];
    let steps = 0;
    for (const seeded of seeds) {
      const isAsked = recipes.has(row);
      const trained = await runsOf(row, seeded, isAsked);
      if (!trained) break;
      const { runs } = trained;
      first ??= runs[0];
      bm25 ??= await measureUntrained(runs[0], seeded, measuring, add);
      const own = runs.at(-1)!;
      const step = (await own.steps('evaluations')).at(-1)!;
      const found = await measureOnTest(own, { system: row.system, step, bm25 }, seeded);
      trials.push(
        trialOf(found, measuring, { seed: seeded.seeds?.[0], seconds: await trainerSeconds(runs) }),
      );
      steps = trained.steps;
      if (isAsked) await keepResults(runs, first);
    }
    const [one, ...rest] = trials;
    if (trials.length === seeds.length) add({ system: row.system, trials: [one, ...rest], steps });
  }
  return { dataset: dataset.name, rows: measured.map((row) => resultOf(row, measured)) };
}

/** What the rows that are asked for still take, with all seeds. */
async function costOfTable(rows: readonly TableRow[], seeds: readonly TableOptions[]): Promise<RowsCost> {
  const planned: PlannedRun[] = [];
  for (const seeded of seeds) for (const row of rows) planned.push(...(await trainingsOf(row, seeded)));
  return costOfRows(planned, seeds[0]);
}

/** The recipes of the rows that are asked for; what is wrong with any of them is told before the first is trained. */
export async function tableRecipes(options: TableOptions): Promise<Map<TableRow, Recipe>> {
  const isSelected = selectRows(options.table, options.recipes);
  const recipes = new Map<TableRow, Recipe>();
  for (const row of options.table.rows) if (isSelected(row)) recipes.set(row, await rowRecipe(row, options));
  return recipes;
}

/** BM25 and the model that all rows start from, by a run that starts from it; BM25's ranking is what systems reorder. */
async function measureUntrained(
  run: RunDirectory,
  options: TableOptions,
  measuring: Measuring,
  add: (row: Measured) => void,
): Promise<Run> {
  const { bm25: words, start } = UNTRAINED;
  const bm25 = await measureBm25(run, { system: words, split: options.testSplit });
  add({ system: words, trials: [trialOf({ retrieval: bm25 }, measuring, { seconds: 0 })], steps: 0 });
  const found = await measureOnTest(run, { system: start, step: 0, bm25 }, options);
  add({ system: start, trials: [trialOf(found, measuring, { seconds: 0 })], steps: 0 });
  return bm25;
}

function measureOnTest(
  run: RunDirectory,
  measured: { system: string; step: number; bm25: Run },
  { testSplit, threads }: TableOptions,
): Promise<SystemRuns> {
  return measureRun(run, { ...measured, split: testSplit, session: { threads } });
}

/** Of every step once, however often a crash had it repeated. */
async function trainerSeconds(runs: readonly RunDirectory[]): Promise<number> {
  let sum = 0;
  for (const run of runs) {
    const { steps } = await readHistory(run);
    for (const seconds of steps.seconds) if (!Number.isNaN(seconds)) sum += seconds;
  }
  return sum;
}

/** What systems of a table are measured by. */
interface Measuring extends Pick<TableKind, 'measures' | 'reranks'> {
  qrels: Qrels;
}

function trialOf(
  { retrieval, rerank }: SystemRuns,
  { qrels, measures = MEASURES, reranks = true }: Measuring,
  rest: Pick<Trial, 'seed' | 'seconds'>,
): Trial {
  const valuesOf = (run: Run) => evaluate(run, qrels, measures, { complete: true });
  const measured = valuesOf(retrieval);
  return {
    measures: { ...measured.mean },
    ...(rerank && reranks && { rerank: { ...valuesOf(rerank).mean } }),
    values: measured.perQuery[measures[0]],
    ...rest,
  };
}

function resultOf({ system, trials, steps }: Measured, all: readonly Measured[]): TableResult {
  const valuesOf = (row: Pick<Measured, 'trials'>): Float64Array =>
    meanOfQueries(row.trials.map((trial) => trial.values));
  const own = valuesOf({ trials });
  const reranked = trials.flatMap(({ rerank }) => (rerank ? [rerank] : []));
  return {
    system,
    measures: meanOfMeasures(trials.map(({ measures }) => measures)),
    ...(reranked.length > 0 && { rerank: meanOfMeasures(reranked) }),
    pValues: Object.fromEntries(
      all
        .filter((other) => other.system !== system)
        .map((other) => [other.system, pairedTTest(own, valuesOf(other)).p]),
    ),
    steps,
    seconds: mean(trials.map(({ seconds }) => seconds)),
    ...(trials.length > 1 && {
      seeds: trials.map(({ seed, measures }) => ({ seed: seed!, measures })),
    }),
  };
}
