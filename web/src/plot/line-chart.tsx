import 'uplot/dist/uPlot.min.css';
import './line-chart.css';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { Button } from '../components/index.js';
import { Term } from '../components/term.js';
import { useTheme } from '../theme.js';
import { alignSeries } from './align.js';
import { resolveColour, seriesStyle } from './colours.js';
import { SeriesTable } from './series-table.js';

export interface LineSeries {
  name: string;
  x: readonly number[];
  /** As many as `x`; `null` leaves a gap. */
  y: readonly (number | null)[];
  /** A CSS colour such as `var(--series-2)`; by default the next of the theme's. */
  colour?: string;
  /** Lengths of strokes and gaps. */
  dash?: number[];
  /** Holds each value until the next: staircases. */
  stepped?: boolean;
  /** Draws a dot at each value, for a few far apart. */
  dots?: boolean;
}

export interface LineChartProps {
  title: string;
  /** What there is to see, in a sentence. */
  description?: string;
  /** Of the glossary. */
  term?: string;
  xLabel: string;
  yLabel: string;
  series: readonly LineSeries[];
  scale?: 'linear' | 'log';
  height?: number;
  format?: (value: number) => string;
  /** Charts with the same key show their cursors at the same x. */
  syncKey?: string;
}

/** Lines over steps, with the theme's colours, a cursor that reads values, and the same numbers as a table. */
export function LineChart(props: LineChartProps) {
  const { title, description, term, series, xLabel, format = formatNumber } = props;
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption>
        <span>
          <b id={id}>{title}</b>
          {description && <span class="soft small"> {description}</span>}
          {term && (
            <>
              {' '}
              <Term id={term}>?</Term>
            </>
          )}
        </span>
        {series.some(({ x }) => x.length > 1) && (
          <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            Table<span class="visually-hidden"> of {title}</span>
          </Button>
        )}
      </figcaption>
      {asTable || series.every(({ x }) => x.length < 2) ? (
        <SeriesTable title={title} xLabel={xLabel} series={series} format={format} />
      ) : (
        <Canvas {...props} format={format} />
      )}
    </figure>
  );
}

function Canvas(props: LineChartProps & { format: (value: number) => string }) {
  const { title, yLabel, xLabel, series, scale = 'linear', height = 220, format, syncKey } = props;
  const theme = useTheme();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(null);
  // Whatever changes how the chart is built; new numbers alone only change its data.
  const shape = JSON.stringify([theme, yLabel, xLabel, scale, height, syncKey, series.map(describeStyle)]);

  useEffect(() => {
    const within = box.current!;
    const colour = (value: string) => resolveColour(value, within);
    const font = `11px ${getComputedStyle(within).fontFamily}`;
    const axis = { stroke: colour('var(--soft)'), font, labelFont: font, labelSize: 18 };
    const rules = { stroke: colour('var(--line)'), width: 1 };
    const plot = new uPlot(
      {
        width: within.clientWidth,
        height,
        scales: { x: { time: false }, y: { distr: scale === 'log' ? 3 : 1 } },
        cursor: { sync: syncKey ? { key: syncKey } : undefined, points: { size: 7 } },
        axes: [
          { ...axis, label: xLabel, size: 34, grid: { show: false }, ticks: rules },
          {
            ...axis,
            label: yLabel,
            size: 56,
            grid: rules,
            ticks: { show: false },
            values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : format(tick))),
          },
        ],
        series: [
          { label: xLabel },
          ...series.map((line, nth) => {
            const style = seriesStyle(nth);
            const stroke = colour(line.colour ?? style.colour);
            return {
              label: line.name,
              stroke,
              width: 1.75,
              dash: line.dash ?? style.dash,
              spanGaps: true,
              points: { show: line.dots ?? false, size: 6, fill: stroke },
              paths: line.stepped ? uPlot.paths.stepped!({ align: 1 }) : undefined,
              value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)),
            };
          }),
        ],
      },
      alignSeries(series, scale),
      within,
    );
    chart.current = plot;
    const resize = new ResizeObserver(() => {
      if (within.clientWidth !== plot.width) plot.setSize({ width: within.clientWidth, height });
    });
    resize.observe(within);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [shape]);

  useEffect(() => {
    chart.current?.setData(alignSeries(series, scale));
  }, [series, scale]);

  return (
    <div ref={box} class="chart-canvas" role="img" aria-label={`${title}: ${summary(series, format)}`} />
  );
}

function describeStyle({ name, colour, dash, stepped, dots }: LineSeries) {
  return [name, colour, dash, stepped, dots];
}

/** What a screen reader hears instead of the picture. */
function summary(series: readonly LineSeries[], format: (value: number) => string): string {
  return series
    .map(({ name, y }) => {
      const known = y.filter((value) => value !== null);
      if (known.length === 0) return `${name}: no values yet`;
      return `${name} from ${format(known[0])} to ${format(known.at(-1)!)}`;
    })
    .join('; ');
}

const compact = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, notation: 'compact' });

/** Four digits, with K and M for large numbers. */
export function formatNumber(value: number): string {
  return value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(1) : compact.format(value);
}
