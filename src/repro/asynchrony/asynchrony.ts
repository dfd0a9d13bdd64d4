import { readHistory } from '../../analyze/history.js';
import { linePlot } from '../../analyze/plot/line-plot.js';
import { formatTable, type TableFormat } from '../../base/table.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { SuperviseOptions } from '../../train/process/supervisor.js';
import type { TableRow } from '../table/row.js';
import { type RowRecipeOptions, rowRecipe } from '../table/row-recipe.js';
import { keepResults } from '../table/row-room.js';
import { costOfRows, type RowsCost } from '../table/rows-cost.js';
import { type PlannedRun, type TrainRowOptions, trainRow, unfinishedRuns } from '../table/train-row.js';

type Threads = SuperviseOptions['threads'];

export interface AsynchronyOptions extends TrainRowOptions, RowRecipeOptions {
  /** Steps between checkpoints, and so at least between refreshes, before they are shortened. */
  intervals: readonly number[];
  learningRates: readonly number[];
  /** How the cores are shared between Trainer and Inferencer. */
  shares: readonly Threads[];
  /** Told what will be trained, before anything is. */
  onPlan?: (cost: RowsCost) => void | Promise<void>;
  onCell?: (cell: AsynchronyCell) => void;
}

/** One setting of the ANCE paper's Figure 5. */
export interface AsynchronyCell {
  interval: number;
  learningRate: number;
  threads: Threads;
  /** The measure that decides, by step. */
  curve: { step: number; value: number }[];
  best: number;
  last: number;
  /** The largest fall of the curve between two measurements: how stable learning is. */
  largestFall: number;
  /** Steps that negatives were old when they were learned from, on average. */
  meanAge: number;
  refreshes: number;
  /** Time the Trainer computed. */
  seconds: number;
}

export interface Asynchrony {
  measure: string;
  cells: AsynchronyCell[];
}

/** Trains ANCE asynchronously in every setting; what is done is kept. */
export async function reproduceAsynchrony(options: AsynchronyOptions): Promise<Asynchrony> {
  const settings = options.shares.flatMap((threads) =>
    options.learningRates.flatMap((learningRate) =>
      options.intervals.map((interval) => ({ interval, learningRate, threads })),
    ),
  );
  const planned: PlannedRun[] = [];
  for (const setting of settings) {
    planned.push(...(await unfinishedRuns(await rowRecipe(rowOf(setting), options), options)));
  }
  await options.onPlan?.(await costOfRows(planned, options));
  const cells: AsynchronyCell[] = [];
  let measure = '';
  let first: RunDirectory | undefined;
  for (const setting of settings) {
    const recipe = await rowRecipe(rowOf(setting), options);
    measure = recipe.evaluation.best;
    const supervise = { ...options.supervise, threads: setting.threads };
    const runs = await trainRow(recipe, { ...options, supervise });
    const cell = { ...setting, ...(await cellOf(runs.at(-1)!, measure)) };
    first ??= runs[0];
    await keepResults(runs, first);
    cells.push(cell);
    options.onCell?.(cell);
  }
  return { measure, cells };
}

type Setting = Pick<AsynchronyCell, 'interval' | 'learningRate' | 'threads'>;

function rowOf({ interval, learningRate, threads }: Setting): TableRow {
  const name = `every-${interval}-rate-${learningRate}-threads-${threads.trainer}-${threads.inferencer}`;
  return {
    name,
    system: name,
    recipe: 'ance-firstp',
    set: ['refresh.mode=async', `checkpoint.every=${interval}`, `optimizer.learningRate=${learningRate}`],
  };
}

async function cellOf(run: RunDirectory, measure: string): Promise<Omit<AsynchronyCell, keyof Setting>> {
  const { evaluations, steps, refreshes } = await readHistory(run);
  const curve = evaluations.map(({ step, measures }) => ({ step, value: measures[measure] }));
  const ages = steps.negativesVersion.flatMap((version, step) =>
    Number.isFinite(version) ? [step - version] : [],
  );
  const falls = curve.slice(1).map(({ value }, i) => curve[i].value - value);
  return {
    curve,
    best: Math.max(...curve.map(({ value }) => value)),
    last: curve.at(-1)?.value ?? Number.NaN,
    largestFall: Math.max(0, ...falls),
    meanAge: ages.reduce((sum, age) => sum + age, 0) / Math.max(1, ages.length),
    refreshes: refreshes.length,
    seconds: steps.seconds.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : value), 0),
  };
}

function nameOf({ interval, learningRate, threads }: Setting): string {
  return `every ${interval}, ${learningRate}, ${threads.trainer}:${threads.inferencer}`;
}

/** The measure by step, a line for each setting, as SVG. */
export function asynchronyPlot({ measure, cells }: Asynchrony): string {
  return linePlot({
    title: 'ANCE beside its Inferencer: refresh interval, learning rate, threads of both',
    x: 'step',
    y: `${measure} on dev`,
    series: cells.map((cell) => ({
      label: nameOf(cell),
      x: cell.curve.map(({ step }) => step),
      y: cell.curve.map(({ value }) => value),
    })),
  });
}

export function asynchronyText({ measure, cells }: Asynchrony, format: TableFormat): string {
  const number = (value: number): string => value.toFixed(3).replace(/^0/, '');
  const header = [
    'checkpoint every',
    'learning rate',
    'threads',
    `best ${measure}`,
    'last',
    'largest fall',
    'mean age',
    'refreshes',
    'seconds',
  ];
  return formatTable(
    {
      header,
      numeric: header.map(() => true),
      rows: cells.map((cell) => [
        String(cell.interval),
        String(cell.learningRate),
        `${cell.threads.trainer}:${cell.threads.inferencer}`,
        number(cell.best),
        number(cell.last),
        number(cell.largestFall),
        cell.meanAge.toFixed(0),
        String(cell.refreshes),
        cell.seconds.toFixed(0),
      ]),
    },
    format,
  );
}
