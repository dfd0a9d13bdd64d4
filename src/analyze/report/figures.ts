import type { Analysis } from '../analyze.js';
import type { ComparedRun } from '../compare-runs.js';
import { groupsIn } from '../group-series.js';
import { barPlot } from '../plot/bar-plot.js';
import { boxPlot } from '../plot/box-plot.js';
import { linePlot, type PlottedSeries } from '../plot/line-plot.js';
import { panelPlot } from '../plot/panel-plot.js';
import type { Series } from '../series.js';
import type { SourceCurves } from '../source-curves.js';
import { formatPercent } from './format.js';

/** A figure of the report. */
export interface Figure {
  /** Its file's name without `.svg`. */
  name: string;
  section: string;
  svg: string;
}

/** The names that a figure of a report may have, as a pattern. */
export const FIGURE_NAMES =
  'loss|loss-by-source|gradient-norm|gradient-norm-by-source|dev|index-age|replaced|tokens-per-second|documents-per-second|refresh-seconds|' +
  'gradient-by-source|overlap|long-tail|compare-[a-z0-9-]+|quality|space-\\d+-step-\\d+';

/** Draws all there is to see in an analysis. */
export function figuresOf(analysis: Analysis): Figure[] {
  return [
    ...curveFigures(analysis),
    ...sourceFigures(analysis),
    ...gradientFigures(analysis),
    ...overlapFigures(analysis),
    ...tailFigures(analysis),
    ...compareFigures(analysis),
  ];
}

const STEP = 'step of the Trainer';

function named(series: Record<string, Series>, draw?: PlottedSeries['draw']): PlottedSeries[] {
  return Object.entries(series).map(([label, values]) => ({ label, draw, ...values }));
}

function curveFigures({ curves }: Analysis): Figure[] {
  if (!curves) return [];
  const rules = curves.stages
    .filter(({ start }) => start <= curves.steps)
    .map(({ name, start }) => ({ x: start, label: name }));
  const figures = [
    {
      name: 'loss',
      plot: { title: 'Training loss', y: 'loss', series: named({ loss: curves.loss }), include: { y: [0] } },
    },
    {
      name: 'gradient-norm',
      plot: {
        title: 'Gradient norm before clipping',
        y: 'norm',
        series: [{ label: 'all', width: 4, ...curves.gradientNorm }, ...named(curves.groupNorms)],
        scales: { y: 'log' as const },
      },
    },
    { name: 'dev', plot: { title: 'Dev measures', y: 'value', series: named(curves.dev, 'points') } },
    {
      name: 'index-age',
      plot: {
        title: 'Age of the negatives',
        y: 'steps since their checkpoint',
        series: named({ age: curves.indexAge }, 'steps'),
        include: { y: [0] },
      },
    },
    {
      name: 'replaced',
      plot: {
        title: 'Negatives replaced by each refresh',
        y: 'share',
        series: named({ replaced: curves.replaced }, 'points'),
        include: { y: [0, 1] },
      },
    },
    {
      name: 'tokens-per-second',
      plot: {
        title: 'Speed of the Trainer',
        y: 'tokens per second',
        series: named({ speed: curves.tokensPerSecond }),
        include: { y: [0] },
      },
    },
    {
      name: 'documents-per-second',
      plot: {
        title: 'Speed of the Inferencer',
        y: 'documents per second',
        series: named({ speed: curves.documentsPerSecond }, 'points'),
        include: { y: [0] },
      },
    },
    {
      name: 'refresh-seconds',
      plot: {
        title: 'Duration of a refresh',
        y: 'seconds',
        series: named({ ...curves.refreshSeconds }, 'points'),
        include: { y: [0] },
      },
    },
  ];
  return figures
    .filter(({ plot }) => plot.series.some(({ x }) => x.length > 0))
    .map(({ name, plot }) => ({
      name,
      section: 'curves',
      svg: linePlot({
        x: STEP,
        rules: rules.length > 1 ? rules : [],
        ...plot,
        include: { x: [0, curves.steps], ...plot.include },
      }),
    }));
}

/** More values than this are no longer marked one by one. */
const MOST_POINTS = 60;

/** With one source alone, its curves are those of all. */
function sourceFigures({ curves }: Analysis): Figure[] {
  const sources = Object.entries(curves?.sources ?? {});
  if (sources.length < 2) return [];
  const lines = (of: (source: SourceCurves) => Series | undefined): PlottedSeries[] =>
    sources.map(([label, source]) => {
      const series = of(source) ?? NOTHING;
      return { label, draw: series.x.length > MOST_POINTS ? 'line' : 'points', ...series };
    });
  const loss = linePlot({
    title: 'Training loss by source of negatives',
    x: STEP,
    y: 'loss',
    series: lines((source) => source.loss),
    include: { y: [0] },
  });
  const norms = panelPlot({
    title: 'Gradient norm before clipping, by source of negatives and layer group',
    x: STEP,
    y: 'norm',
    panels: [
      { title: 'all layers', series: lines(({ gradientNorm }) => gradientNorm) },
      ...groupsIn(sources.map(([, { groupNorms }]) => groupNorms)).map((group) => ({
        title: group,
        series: lines(({ groupNorms }) => groupNorms[group]),
      })),
    ],
    scales: { y: 'log' },
  });
  return [
    { name: 'loss-by-source', section: 'curves', svg: loss },
    { name: 'gradient-norm-by-source', section: 'curves', svg: norms },
  ];
}

const NOTHING: Series = { x: [], y: [] };

function gradientFigures({ gradients, step }: Analysis): Figure[] {
  if (!gradients) return [];
  const svg = boxPlot({
    title: `What negatives of each source would teach the model of step ${step}`,
    x: 'gradient norm at the last layer (box: quartiles, whiskers: 10–90 %, dot: mean)',
    y: '',
    rows: gradients.sources
      .filter(({ count }) => count > 0)
      .map((summary) => ({ label: summary.source, ...summary })),
    scale: 'log',
  });
  return [{ name: 'gradient-by-source', section: 'gradients', svg }];
}

function overlapFigures({ overlap }: Analysis): Figure[] {
  if (!overlap) return [];
  const svg = barPlot({
    title: "Training negatives that are in the model's true top",
    x: 'share of the drawn negatives',
    y: '',
    series: overlap.cutoffs.map((cutoff) => `true top ${cutoff}`),
    rows: overlap.sources.map(({ source, shares }) => ({ label: source, values: shares })),
    include: [0, 1],
    format: formatPercent,
  });
  return [{ name: 'overlap', section: 'overlap', svg }];
}

function tailFigures({ longTail, step }: Analysis): Figure[] {
  if (!longTail) return [];
  const { ranks, mean, p10, p90, positive } = longTail;
  const svg = linePlot({
    title: `Scores by rank, model of step ${step}`,
    x: 'rank',
    y: "score above the query's mean",
    series: [{ label: 'mean', x: ranks, y: mean, low: p10, high: p90 }],
    scales: { x: 'log' },
    marks: [{ x: positive.rank.median, y: positive.score, label: 'positive (median rank, mean score)' }],
  });
  return [{ name: 'long-tail', section: 'long-tail', svg }];
}

function compareFigures({ runs }: Analysis): Figure[] {
  if (!runs) return [];
  const overlay = (name: string, title: string, y: string, series: PlottedSeries[]): Figure[] =>
    series.length === 0 ? [] : [{ name, section: 'compare', svg: linePlot({ title, x: STEP, y, series }) }];
  const measures = [...new Set(runs.flatMap(({ dev }) => Object.keys(dev)))];
  return [
    ...overlay(
      'compare-loss',
      'Training loss of the runs',
      'loss',
      runs.map(({ label, loss }) => ({ label, ...loss })),
    ),
    ...overlay(
      'compare-gradient-norm',
      'Gradient norm of the runs, before clipping',
      'norm',
      runs.map(({ label, gradientNorm }) => ({ label, x: gradientNorm.x, y: gradientNorm.y })),
    ),
    ...compareGroups(runs),
    ...measures.flatMap((measure) =>
      overlay(
        `compare-${measure.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`,
        `Dev ${measure} of the runs`,
        measure,
        runs.flatMap(({ label, dev }) =>
          dev[measure] ? { label, draw: 'points' as const, ...dev[measure] } : [],
        ),
      ),
    ),
    ...overlay(
      'compare-index-age',
      'Age of the negatives in the runs',
      'steps',
      runs.flatMap(({ label, indexAge }) =>
        indexAge.x.length > 0 ? { label, draw: 'steps' as const, ...indexAge } : [],
      ),
    ),
  ];
}

/** Fig. 4 of the ANCE paper: a panel for each layer group, a line for each run. */
function compareGroups(runs: readonly ComparedRun[]): Figure[] {
  const panels = groupsIn(runs.map(({ groupNorms }) => groupNorms)).map((group) => ({
    title: group,
    series: runs.map(({ label, groupNorms }) => {
      const { x, y } = groupNorms[group] ?? NOTHING;
      return { label, x, y };
    }),
  }));
  if (panels.length === 0) return [];
  const svg = panelPlot({
    title: 'Gradient norm of the runs by layer group, before clipping',
    x: STEP,
    y: 'norm',
    panels,
    scales: { y: 'log' },
  });
  return [{ name: 'compare-gradient-norm-by-group', section: 'compare', svg }];
}
