import { seriesStyle } from '../plot/colours.js';
import type { LineChartProps, LineSeries } from '../plot/line-chart.js';
import { formatSeconds, formatShare } from './format.js';
import type { RunCurves, Series } from './runs-api.js';
import { smooth } from './smooth.js';
import { teachingCharts } from './teaching-charts.js';

/** A run's curves and the colour it has on the whole page. */
export interface ShownRun {
  name: string;
  curves: RunCurves;
  colour: string;
}

export interface ChartOptions {
  smoothing: number;
  logLoss: boolean;
  /** The dev measure to compare several runs by. */
  measure?: string;
  /** The layer group to compare several runs by; all together where it is absent. */
  group?: string;
}

export type ChartSpec = Omit<LineChartProps, 'syncKey' | 'xLabel'>;

/** Values that are this few and far apart are drawn with dots. */
const MOST_DOTS = 60;

/** Everything that is drawn of one run, or of several over each other. What has no values yet is left out. */
export function chartsOf(runs: readonly ShownRun[], options: ChartOptions): ChartSpec[] {
  const charts = [
    lossChart(runs, options),
    devChart(runs, options),
    groupChart(runs, options),
    sourceChart(runs, options),
    ...negativesCharts(runs),
    ...teachingCharts(runs),
    ...paceCharts(runs, options),
    learningRateChart(runs),
  ];
  return charts
    .map((chart) => ({ ...chart, series: chart.series.filter(({ x }) => x.length > 0) }))
    .filter(({ series }) => series.length > 0);
}

function lossChart(runs: readonly ShownRun[], { smoothing, logLoss }: ChartOptions): ChartSpec {
  const smoothed = perRun(runs, 'loss', ({ loss, stages }) => smoothedSeries(loss, smoothing, stages));
  const raw = perRun(runs, 'each step', ({ loss }) => loss).map(faint);
  const isAlone = runs.length === 1;
  return {
    title: 'Loss',
    description: isAlone ? stagesInWords(runs[0].curves) : undefined,
    yLabel: 'loss',
    scale: logLoss ? 'log' : 'linear',
    series: isAlone && smoothing > 0 ? [...raw, ...smoothed] : smoothed,
    height: 280,
  };
}

function devChart(runs: readonly ShownRun[], { measure }: ChartOptions): ChartSpec {
  const series =
    runs.length === 1
      ? byName(runs[0].curves.dev)
      : perRun(runs, '', ({ dev }) => dev[measure ?? ''] ?? NOTHING);
  return {
    title: runs.length === 1 ? 'Dev measures' : `${measure ?? 'Measures'} on dev`,
    description: 'at each checkpoint that was measured',
    yLabel: 'value',
    series: series.map(dotted),
    height: 280,
  };
}

function groupChart(runs: readonly ShownRun[], { smoothing, group }: ChartOptions): ChartSpec {
  const smoothAll = (groups: Record<string, Series>, { stages }: RunCurves) =>
    Object.fromEntries(
      Object.entries(groups).map(([name, s]) => [name, smoothedSeries(s, smoothing, stages)]),
    );
  const series =
    runs.length === 1
      ? byName(smoothAll({ all: runs[0].curves.gradientNorm, ...runs[0].curves.groupNorms }, runs[0].curves))
      : perRun(runs, '', (curves) =>
          smoothedSeries(
            (group && curves.groupNorms[group]) || curves.gradientNorm,
            smoothing,
            curves.stages,
          ),
        );
  const which = runs.length === 1 ? 'by layer group' : group ? `of ${group}` : 'of all layers';
  return { title: `Gradient norm ${which}`, description: 'before clipping', yLabel: 'norm', series };
}

function sourceChart(runs: readonly ShownRun[], { smoothing }: ChartOptions): ChartSpec {
  const series = runs.flatMap(({ name, curves, colour }, nth) =>
    Object.entries(curves.sourceNorms).map(
      ([source, norms], place): LineSeries =>
        dotted({
          name: runs.length === 1 ? source : `${name}: ${source}`,
          ...smoothedSeries(norms, smoothing, curves.stages),
          colour: runs.length === 1 ? seriesStyle(place).colour : colour,
          dash: runs.length === 1 ? undefined : seriesStyle(nth + 7 * place).dash,
        }),
    ),
  );
  return {
    title: 'Gradient norm by source of negatives',
    description: 'each source by itself, at the steps where that was measured; a + stands for a mixture',
    yLabel: 'norm',
    series,
  };
}

function negativesCharts(runs: readonly ShownRun[]): ChartSpec[] {
  return [
    {
      title: 'Age of the negatives',
      description: 'steps since the checkpoint that mined them',
      yLabel: 'steps',
      series: perRun(runs, 'age', ({ indexAge }) => indexAge),
    },
    {
      title: 'Checkpoint behind the negatives',
      description: 'a step up is a refresh that took over',
      yLabel: 'checkpoint',
      series: perRun(runs, 'mined with step', ({ negativesVersion }) => negativesVersion),
    },
    {
      title: 'Negatives replaced',
      description: 'share of candidates that a refresh changed',
      yLabel: 'share',
      format: formatShare,
      series: perRun(runs, 'replaced', ({ replaced }) => replaced).map(dotted),
    },
  ];
}

function paceCharts(runs: readonly ShownRun[], { smoothing }: ChartOptions): ChartSpec[] {
  const refreshes =
    runs.length === 1
      ? byName({
          encoding: runs[0].curves.refreshSeconds.encode,
          indexing: runs[0].curves.refreshSeconds.index,
          searching: runs[0].curves.refreshSeconds.search,
        })
      : perRun(runs, '', ({ refreshSeconds }) => total(Object.values(refreshSeconds)));
  return [
    {
      title: 'Trainer',
      description: 'tokens in a second',
      yLabel: 'tokens/s',
      series: perRun(runs, 'tokens/s', ({ tokensPerSecond }) => smoothedSeries(tokensPerSecond, smoothing)),
    },
    {
      title: 'Inferencer',
      description: 'documents encoded in a second',
      yLabel: 'documents/s',
      series: perRun(runs, 'documents/s', ({ documentsPerSecond }) => documentsPerSecond).map(dotted),
    },
    {
      title: 'Duration of a refresh',
      yLabel: 'seconds',
      format: formatSeconds,
      series: refreshes.map(dotted),
    },
  ];
}

function learningRateChart(runs: readonly ShownRun[]): ChartSpec {
  return {
    title: 'Learning rate',
    yLabel: 'rate',
    series: perRun(runs, 'learning rate', ({ learningRate }) => learningRate),
  };
}

const NOTHING: Series = { x: [], y: [] };

/** One line for each run: by its name, or by what it is where it is alone. */
function perRun(runs: readonly ShownRun[], alone: string, of: (curves: RunCurves) => Series): LineSeries[] {
  return runs.map(({ name, curves, colour }) => {
    const { x, y } = of(curves);
    return { name: runs.length === 1 ? alone : name, x, y, colour };
  });
}

function byName(curves: Record<string, Series>): LineSeries[] {
  return Object.entries(curves).map(([name, { x, y }]) => ({ name, x, y }));
}

function dotted(line: LineSeries): LineSeries {
  return { ...line, dots: line.x.length <= MOST_DOTS };
}

function faint(line: LineSeries): LineSeries {
  return { ...line, colour: `color-mix(in srgb, ${line.colour} 32%, transparent)` };
}

function smoothedSeries(series: Series, weight: number, stages: RunCurves['stages'] = []): Series {
  const restarts = stages.map(({ start }) => start);
  return { x: series.x, y: smooth(series, weight, restarts) };
}

/** Sums over the same steps. */
function total(parts: readonly Series[]): Series {
  const { x } = parts[0];
  return { x, y: x.map((_, i) => parts.reduce((sum, { y }) => sum + y[i], 0)) };
}

function stagesInWords({ stages }: RunCurves): string {
  return stages.map(({ name, start }) => (start === 0 ? name : `${name} from step ${start}`)).join(', ');
}
