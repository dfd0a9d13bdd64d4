import { openCheckpoint } from '../../analyze/corpus/open-checkpoint.js';
import { type Cost, costsOf } from '../../analyze/costs.js';
import { readHistory } from '../../analyze/history.js';
import { removeDirectory } from '../../base/files.js';
import { secondsOf } from '../../base/numbers/seconds-since.js';
import { formatTable, type TableFormat } from '../../base/table.js';
import { openDataset } from '../../data/index.js';
import { Bm25SearchPool, buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import { type RowRecipeOptions, rowRecipe } from '../table/row-recipe.js';
import { costOfRows, type RowsCost } from '../table/rows-cost.js';
import { type TrainRowOptions, trainRow, unfinishedRuns } from '../table/train-row.js';

export interface EfficiencyOptions extends TrainRowOptions, RowRecipeOptions {
  /** Split whose queries are searched by words. */
  testSplit: string;
  threads?: number;
  /** Told what will be trained, before anything is. */
  onPlan?: (cost: RowsCost) => void | Promise<void>;
}

/** One line of the table: a cost of BM25, of serving, refreshing or training. */
export type EfficiencyRow = Omit<Cost, 'part'> & { part: Cost['part'] | 'BM25' };

export interface Efficiency {
  dataset: string;
  documents: number;
  threads: { trainer?: number; inferencer?: number };
  rows: EfficiencyRow[];
  stepsPerRefresh?: number;
}

/** Documents a query is answered with. */
const SERVED = 100;
const QUERIES = 256;

/** Trains ANCE for some steps and says what its parts cost, beside BM25 (Table 5 of the ANCE paper). */
export async function reproduceEfficiency(options: EfficiencyOptions): Promise<Efficiency> {
  const row = { name: 'ance-firstp', system: 'ANCE', recipe: 'ance-firstp' };
  const recipe = await rowRecipe(row, options);
  await options.onPlan?.(await costOfRows(await unfinishedRuns(recipe, options), options));
  const runs = await trainRow(recipe, options);
  const run = runs.at(-1)!;
  const checkpoint = await openCheckpoint({ run, session: { threads: options.threads }, quiet: true });
  try {
    const { rows, threads, stepsPerRefresh } = await costsOf(checkpoint, await readHistory(run));
    return {
      dataset: checkpoint.data.dataset.name,
      documents: checkpoint.data.documents.count,
      threads,
      rows: [...(await bm25Costs(options, checkpoint.data.documents.count)), ...rows],
      ...(stepsPerRefresh !== undefined && { stepsPerRefresh }),
    };
  } finally {
    await checkpoint.close();
  }
}

async function bm25Costs(
  { data, out, testSplit, threads }: EfficiencyOptions,
  documents: number,
): Promise<EfficiencyRow[]> {
  const folder = `${out}/bm25`;
  const dataset = await openDataset(data);
  await removeDirectory(folder);
  const build = await secondsOf(() => buildBm25Index(folder, dataset.documents(), {}));
  const queries: string[] = [];
  for await (const { text } of dataset.queries(testSplit)) if (queries.push(text) === QUERIES) break;
  const pool = new Bm25SearchPool(await openBm25Index(folder), { threads });
  await pool.search(queries, { k: SERVED });
  const search = await secondsOf(() => pool.search(queries, { k: SERVED }));
  await pool.close();
  await removeDirectory(folder);
  const origin = 'measured';
  return [
    {
      part: 'BM25',
      what: 'build the index',
      seconds: build,
      each: build / documents,
      unit: 'document',
      origin,
    },
    { part: 'BM25', what: 'search', each: search / queries.length, unit: 'query', origin },
  ];
}

export function efficiencyText(
  { dataset, documents, threads, rows, stepsPerRefresh }: Efficiency,
  format: TableFormat,
): string {
  const header = ['part', 'operation', 'whole', 'each', 'from'];
  const table = {
    header,
    numeric: header.map((_, i) => i === 2 || i === 3),
    rows: rows.map(({ part, what, seconds, each, unit, origin }) => [
      part,
      what,
      seconds === undefined ? '–' : `${seconds.toFixed(1)} s`,
      each === undefined ? '–' : `${(1000 * each).toFixed(2)} ms a ${unit}`,
      origin,
    ]),
  };
  const shares = `Trainer ${threads.trainer ?? 'all'} and Inferencer ${threads.inferencer ?? 'all'} threads`;
  const age = stepsPerRefresh === undefined ? '' : `; a refresh lasts ${stepsPerRefresh.toFixed(0)} steps`;
  return `${formatTable(table, format)}\n\n${dataset}, ${documents} documents; ${shares}${age}`;
}
