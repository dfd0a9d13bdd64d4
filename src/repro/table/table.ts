import { readHistory } from '../../analyze/history.js';
import type { Qrels } from '../../data/index.js';
import { openDataset } from '../../data/index.js';
import { evaluate, pairedTTest, type Run } from '../../evaluate/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { measureBm25, measureRun, type SystemRuns } from './measure-row.js';
import { MEASURES, selectRows, type TableKind, type TableRow, UNTRAINED } from './row.js';
import { type RowRecipeOptions, rowRecipe, rowRecipeIfFits } from './row-recipe.js';
import { finishedRow, type TrainRowOptions, trainRow } from './train-row.js';

export interface TableOptions extends TrainRowOptions, RowRecipeOptions {
  table: TableKind;
  /** Split that systems are compared on. */
  testSplit: string;
  /** Names of the rows to train; all when left out. */
  recipes?: readonly string[];
  threads?: number;
  onRow?: (row: TableResult) => void;
}

/** One line of the table. */
export interface TableResult {
  system: string;
  measures: Record<string, number>;
  /** The same measures when the system reorders BM25's best; absent for BM25 itself. */
  rerank?: Record<string, number>;
  /** Paired t-test on RR@10 against each other system. */
  pValues: Record<string, number>;
  steps: number;
  /** Time the Trainer computed, in a warm-up too. */
  seconds: number;
}

interface Measured {
  system: string;
  retrieval: Run;
  rerank?: Run;
  steps: number;
  seconds: number;
}

/**
 * Trains and measures the rows of a table on a collection, skipping what is done. Rows that are not asked for are in the
 * table too where they were done before with the same settings.
 */
export async function reproduceTable(
  options: TableOptions,
): Promise<{ dataset: string; rows: TableResult[] }> {
  const recipes = await tableRecipes(options);
  const dataset = await openDataset(options.data);
  const qrels = await dataset.qrels(options.testSplit);
  const measured: Measured[] = [];
  const add = (row: Measured): void => {
    measured.push(row);
    options.onRow?.(resultOf(row, measured, qrels));
  };
  for (const row of options.table.rows) {
    const recipe = recipes.get(row) ?? (await rowRecipeIfFits(row, options));
    if (!recipe) continue;
    const runs = recipes.has(row) ? await trainRow(recipe, options) : await finishedRow(recipe, options);
    if (!runs) continue;
    if (measured.length === 0) (await measureUntrained(runs[0], options)).forEach(add);
    const own = runs.at(-1)!;
    const step = (await own.steps('evaluations')).at(-1)!;
    add({
      system: row.system,
      ...(await measureStep(own, step, row.system, measured[0].retrieval, options)),
      steps: recipe.stages.reduce((sum, { steps }) => sum + steps, 0),
      seconds: await trainerSeconds(runs),
    });
  }
  return { dataset: dataset.name, rows: measured.map((row) => resultOf(row, measured, qrels)) };
}

/** The recipes of the rows that are asked for; what is wrong with any of them is told before the first is trained. */
export async function tableRecipes(options: TableOptions): Promise<Map<TableRow, Recipe>> {
  const isSelected = selectRows(options.table, options.recipes);
  const recipes = new Map<TableRow, Recipe>();
  for (const row of options.table.rows) if (isSelected(row)) recipes.set(row, await rowRecipe(row, options));
  return recipes;
}

/** BM25 and the model that all rows start from, by a run that starts from it. */
async function measureUntrained(run: RunDirectory, options: TableOptions): Promise<Measured[]> {
  const { bm25: words, start } = UNTRAINED;
  const bm25 = await measureBm25(run, { system: words, split: options.testSplit });
  return [
    { system: words, retrieval: bm25, steps: 0, seconds: 0 },
    { system: start, ...(await measureStep(run, 0, start, bm25, options)), steps: 0, seconds: 0 },
  ];
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

function resultOf(row: Measured, all: readonly Measured[], qrels: Qrels): TableResult {
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
