import { readHistory } from '../../analyze/history.js';
import type { Qrels } from '../../data/index.js';
import { openDataset } from '../../data/index.js';
import { evaluate, pairedTTest, type Run } from '../../evaluate/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { measureBm25, measureRun, type SystemRuns } from './measure-row.js';
import { MEASURES, selectRows, type TableKind, type TableRow, UNTRAINED } from './row.js';
import { type RowRecipeOptions, rowRecipe, rowRecipeIfFits } from './row-recipe.js';
import { mean, meanOfMeasures, meanOfQueries, optionsOfSeeds } from './seeds.js';
import { finishedRow, type RowRuns, type TrainRowOptions, trainRow } from './train-row.js';

export interface TableOptions extends TrainRowOptions, RowRecipeOptions {
  table: TableKind;
  /** Split that systems are compared on. */
  testSplit: string;
  /** Names of the rows to train; all when left out. */
  recipes?: readonly string[];
  /** Every row is trained with each of them; left out, once with its recipe's own. */
  seeds?: readonly number[];
  threads?: number;
  onRow?: (row: TableResult) => void;
}

/** One line of the table. */
export interface TableResult {
  system: string;
  /** With several seeds, their mean. */
  measures: Record<string, number>;
  /** The same measures when the system reorders BM25's best; absent for BM25 itself. */
  rerank?: Record<string, number>;
  /** Paired t-test on the RR@10 of a query, its mean over seeds, against each other system. */
  pValues: Record<string, number>;
  steps: number;
  /** Time the Trainer computed, in a warm-up too; with several seeds, their mean. */
  seconds: number;
  /** What each seed came to, where the table has several. */
  seeds?: { seed: number; measures: Record<string, number> }[];
}

/** What a system came to with one seed. */
interface Trial {
  seed?: number;
  measures: Record<string, number>;
  rerank?: Record<string, number>;
  /** RR@10 of each query. */
  reciprocal: Float64Array;
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
export async function reproduceTable(
  options: TableOptions,
): Promise<{ dataset: string; rows: TableResult[] }> {
  const recipes = await tableRecipes(options);
  const seeds = optionsOfSeeds(options);
  const dataset = await openDataset(options.data);
  const qrels = await dataset.qrels(options.testSplit);
  const measured: Measured[] = [];
  const add = (row: Measured): void => {
    measured.push(row);
    options.onRow?.(resultOf(row, measured));
  };
  let bm25: Run | undefined;
  for (const row of options.table.rows) {
    const trials: Trial[] = [];
    let steps = 0;
    for (const seeded of seeds) {
      const recipe = recipes.has(row) ? await rowRecipe(row, seeded) : await rowRecipeIfFits(row, seeded);
      const runs = recipe && (await runsOf(recipe, seeded, recipes.has(row)));
      if (!recipe || !runs) break;
      bm25 ??= await measureUntrained(runs[0], seeded, qrels, add);
      const own = runs.at(-1)!;
      const step = (await own.steps('evaluations')).at(-1)!;
      const found = await measureStep(own, step, row.system, bm25, seeded);
      trials.push(trialOf(found, qrels, { seed: seeded.seeds?.[0], seconds: await trainerSeconds(runs) }));
      steps = recipe.stages.reduce((sum, stage) => sum + stage.steps, 0);
    }
    const [first, ...rest] = trials;
    if (trials.length === seeds.length) add({ system: row.system, trials: [first, ...rest], steps });
  }
  return { dataset: dataset.name, rows: measured.map((row) => resultOf(row, measured)) };
}

/** A row's runs, trained where that is asked for; undefined where it is not and they are not done. */
function runsOf(recipe: Recipe, options: TableOptions, isAsked: boolean): Promise<RowRuns | undefined> {
  return isAsked ? trainRow(recipe, options) : finishedRow(recipe, options);
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
  qrels: Qrels,
  add: (row: Measured) => void,
): Promise<Run> {
  const { bm25: words, start } = UNTRAINED;
  const bm25 = await measureBm25(run, { system: words, split: options.testSplit });
  add({ system: words, trials: [trialOf({ retrieval: bm25 }, qrels, { seconds: 0 })], steps: 0 });
  const found = await measureStep(run, 0, start, bm25, options);
  add({ system: start, trials: [trialOf(found, qrels, { seconds: 0 })], steps: 0 });
  return bm25;
}

async function measureStep(
  run: RunDirectory,
  step: number,
  system: string,
  bm25: Run,
  { testSplit, threads }: TableOptions,
): Promise<SystemRuns> {
  return measureRun(run, { system, step, split: testSplit, bm25, session: { threads } });
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

function trialOf(
  { retrieval, rerank }: SystemRuns,
  qrels: Qrels,
  rest: Pick<Trial, 'seed' | 'seconds'>,
): Trial {
  const measured = evaluate(retrieval, qrels, MEASURES, { complete: true });
  return {
    measures: { ...measured.mean },
    ...(rerank && { rerank: { ...evaluate(rerank, qrels, MEASURES, { complete: true }).mean } }),
    reciprocal: measured.perQuery['RR@10'],
    ...rest,
  };
}

function resultOf({ system, trials, steps }: Measured, all: readonly Measured[]): TableResult {
  const reciprocal = (row: Pick<Measured, 'trials'>): Float64Array =>
    meanOfQueries(row.trials.map((trial) => trial.reciprocal));
  const own = reciprocal({ trials });
  const reranked = trials.flatMap(({ rerank }) => (rerank ? [rerank] : []));
  return {
    system,
    measures: meanOfMeasures(trials.map(({ measures }) => measures)),
    ...(reranked.length > 0 && { rerank: meanOfMeasures(reranked) }),
    pValues: Object.fromEntries(
      all
        .filter((other) => other.system !== system)
        .map((other) => [other.system, pairedTTest(own, reciprocal(other)).p]),
    ),
    steps,
    seconds: mean(trials.map(({ seconds }) => seconds)),
    ...(trials.length > 1 && {
      seeds: trials.map(({ seed, measures }) => ({ seed: seed!, measures })),
    }),
  };
}
