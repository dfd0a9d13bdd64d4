import { mean } from '../../base/numbers/mean.js';
import type { Table } from '../../base/table.js';
import type { Analysis } from '../analyze.js';
import { groupsIn } from '../group-series.js';
import { formatNumber, formatPercent, formatSeconds } from './format.js';

/** Tables by the part of the report that shows them; of parts that were not asked for there are none. */
export interface ReportTable extends Table {
  section: string;
  title: string;
}

/** The numbers of an analysis as tables, for the terminal and for the page. */
export function tablesOf(analysis: Analysis): ReportTable[] {
  return [
    ...curveTable(analysis),
    ...sourceTable(analysis),
    ...gradientTable(analysis),
    ...overlapTable(analysis),
    ...tailTable(analysis),
    ...bm25Tables(analysis),
    ...costTable(analysis),
    ...compareTable(analysis),
    ...compareGroupTable(analysis),
  ];
}

function table(
  section: string,
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): ReportTable[] {
  // The first column names the row; the others are numbers.
  return [{ section, title, header, rows, numeric: header.map((_, column) => column > 0) }];
}

function curveTable({ curves }: Analysis): ReportTable[] {
  if (!curves || curves.loss.y.length === 0) return [];
  // One step says little: its batch may have been an easy one.
  const ends = (values: number[]): string[] => {
    const tenth = Math.ceil(values.length / 10);
    return [values.slice(0, tenth), values.slice(-tenth)].map((part) => formatNumber(mean(part)));
  };
  const points = (values: number[], format: (value?: number) => string): string[] =>
    [values[0], values.at(-1)].map((value) => format(value));
  const rows = [
    ['loss', ...ends(curves.loss.y)],
    ['gradient norm before clipping', ...ends(curves.gradientNorm.y)],
    ...Object.entries(curves.dev).map(([measure, { y }]) => [`dev ${measure}`, ...points(y, formatNumber)]),
    ['index age in steps', ...ends(curves.indexAge.y)],
    ['negatives replaced by a refresh', ...points(curves.replaced.y, formatPercent)],
    ["Trainer's tokens per second", ...ends(curves.tokensPerSecond.y)],
  ];
  return table(
    'curves',
    `Course of ${curves.steps} steps (of what each step records, the mean of the first and the last tenth)`,
    ['', 'begin', 'end'],
    rows,
  );
}

function sourceTable({ curves }: Analysis): ReportTable[] {
  const sources = Object.entries(curves?.sources ?? {});
  // With one source alone, its numbers are those of all.
  if (sources.length < 2) return [];
  const groups = groupsIn(sources.map(([, { groupNorms }]) => groupNorms));
  const rows = sources.map(([source, { loss, gradientNorm, groupNorms }]) => [
    source,
    ...[loss, gradientNorm, ...groups.map((group) => groupNorms[group])].map((series) =>
      formatNumber(series && mean(series.y)),
    ),
  ]);
  const header = ['source of negatives', 'loss', 'gradient norm', ...groups];
  return table(
    'curves',
    'Loss and gradient norms before clipping, by source of negatives and layer group (means over the steps that tell)',
    header,
    rows,
  );
}

function gradientTable({ gradients }: Analysis): ReportTable[] {
  if (!gradients) return [];
  const header = ['source of negatives', 'mean ‖∇l‖', 'median', '× in-batch', '× true top'];
  const rows = gradients.sources.map(({ source, mean, median, toInBatch, toTop }) => [
    source,
    ...[mean, median, toInBatch, toTop].map(formatNumber),
  ]);
  return table('gradients', 'Gradient norm at the last layer, by source of negatives', header, rows);
}

function overlapTable({ overlap }: Analysis): ReportTable[] {
  if (!overlap) return [];
  const header = [
    'source of negatives',
    'age in steps',
    ...overlap.cutoffs.map((cutoff) => `in true top ${cutoff}`),
  ];
  const rows = [
    ...overlap.sources.map(({ source, age, shares }) => [
      source,
      age === undefined ? '' : String(age),
      ...shares.map(formatPercent),
    ]),
    ['(by chance)', '', ...overlap.chance.map(formatPercent)],
  ];
  return table('overlap', "Training negatives in the model's true top", header, rows);
}

function tailTable({ longTail }: Analysis): ReportTable[] {
  if (!longTail) return [];
  const { positive, queries, documents } = longTail;
  return table(
    'long-tail',
    `Training positives of ${queries} queries among ${documents} documents`,
    ['', 'positives'],
    [
      ['median rank', formatNumber(positive.rank.median)],
      ['first', formatPercent(positive.first)],
      ['among the first ten', formatPercent(positive.firstTen)],
    ],
  );
}

function bm25Tables({ bm25 }: Analysis): ReportTable[] {
  if (!bm25) return [];
  const { measure, wins, ties, losses } = bm25.against;
  const overlaps = table(
    'bm25',
    `Holes and overlap with BM25 on ${bm25.split} (${bm25.queries} queries)`,
    ['', 'holes, model', 'holes, BM25', 'shared hits'],
    bm25.rows.map(({ cutoff, holes, shared }) => [
      `top ${cutoff}`,
      ...[holes.model, holes.bm25, shared].map(formatPercent),
    ]),
  );
  const measures = table(
    'bm25',
    `Against BM25 by ${measure}: ${wins} wins, ${ties} ties, ${losses} losses`,
    ['measure', 'model', 'BM25'],
    Object.entries(bm25.measures).map(([name, values]) => [
      name,
      formatNumber(values.model),
      formatNumber(values.bm25),
    ]),
  );
  return [...overlaps, ...measures];
}

function costTable({ costs }: Analysis): ReportTable[] {
  if (!costs) return [];
  const rows = costs.rows.map(({ part, what, seconds, each, unit, origin }) => [
    `${part}: ${what}`,
    formatSeconds(seconds),
    each === undefined ? '' : `${formatSeconds(each)} / ${unit}`,
    origin,
  ]);
  const { stepsPerRefresh } = costs;
  const title = stepsPerRefresh
    ? `Costs (a refresh takes as long as ${formatNumber(stepsPerRefresh)} steps)`
    : 'Costs';
  return table('costs', title, ['', 'whole', 'each', 'from'], rows);
}

function compareTable({ runs }: Analysis): ReportTable[] {
  if (!runs) return [];
  const header = [
    'run',
    'loss at the end',
    'gradient norm, last third',
    'best dev',
    'mean index age',
    'loss jump at a switch',
  ];
  const rows = runs.map(({ label, loss, lateGradientNorm, dev, indexAge, jumpAtSwitch }) => {
    const [[measure, series] = ['', { y: [] as number[] }]] = Object.entries(dev);
    const tail = loss.y.slice(-Math.ceil(loss.y.length / 10));
    const best = series.y.length > 0 ? `${measure} ${formatNumber(Math.max(...series.y))}` : '–';
    return [
      label,
      formatNumber(mean(tail)),
      formatNumber(lateGradientNorm),
      best,
      formatNumber(mean(indexAge.y)),
      formatNumber(jumpAtSwitch),
    ];
  });
  return table('compare', 'Runs compared', header, rows);
}

function compareGroupTable({ runs }: Analysis): ReportTable[] {
  const groups = groupsIn(runs?.map(({ lateGroupNorms }) => lateGroupNorms) ?? []);
  if (!runs || groups.length === 0) return [];
  const rows = runs.map(({ label, lateGroupNorms }) => [
    label,
    ...groups.map((group) => formatNumber(lateGroupNorms[group])),
  ]);
  return table(
    'compare',
    'Gradient norm by layer group, mean over the last third of the steps',
    ['run', ...groups],
    rows,
  );
}
