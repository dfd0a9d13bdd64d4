import type { Series } from '../series.js';
import { type FigureText, Frame } from './frame.js';
import { element, pathThrough, text } from './markup.js';
import { makeScale, type Scale, type ScaleKind } from './scale.js';
import { seriesStyle } from './style.js';

export interface PlottedSeries extends Series {
  label: string;
  /** `steps` holds each value until the next one; `points` marks each, for few. Default `line`. */
  draw?: 'line' | 'steps' | 'points';
  /** Of the line, in pixels: wider where another may cover it. */
  width?: number;
}

export interface LinePlot extends FigureText {
  series: readonly PlottedSeries[];
  scales?: { x?: ScaleKind; y?: ScaleKind };
  /** Values that an axis shows in any case. */
  include?: { x?: readonly number[]; y?: readonly number[] };
  /** Single points with a name beside them. */
  marks?: readonly { x: number; y: number; label: string }[];
  /** Places on the x axis with a name, e.g. where stages begin. */
  rules?: readonly { x: number; label: string }[];
}

/** Curves over a common axis; a series with `low` and `high` has a band around it. */
export function linePlot(plot: LinePlot): string {
  const { series, scales = {}, include = {}, marks = [], rules = [] } = plot;
  const frame = new Frame({ ...plot, legend: series.length > 1 ? series.map(({ label }) => label) : [] });
  const { left, right, top, bottom } = frame.area;
  const x = makeScale({
    kind: scales.x ?? 'linear',
    values: [...series.flatMap((one) => one.x), ...marks.map((mark) => mark.x)],
    include: include.x,
    range: [left, right],
    tight: true,
  });
  const y = makeScale({
    kind: scales.y ?? 'linear',
    values: [
      ...series.flatMap((one) => [...one.y, ...(one.low ?? []), ...(one.high ?? [])]),
      ...marks.map((mark) => mark.y),
    ],
    include: include.y,
    range: [bottom, top],
  });
  return frame.render({ x, y }, [
    ...rules.flatMap((rule) => [
      element('line', {
        class: 'nm-axis',
        x1: x.at(rule.x),
        x2: x.at(rule.x),
        y1: top,
        y2: bottom,
        'stroke-dasharray': '3 3',
      }),
      text(rule.label, { class: 'nm-soft', x: x.at(rule.x) + 4, y: top + 11 }),
    ]),
    ...series.flatMap((one, nth) => drawSeries(one, nth, x, y)),
    ...marks.flatMap((mark) => drawMark(mark, x, y, right)),
  ]);
}

/** The nth series of a figure, with its band. */
export function drawSeries(series: PlottedSeries, nth: number, x: Scale, y: Scale): string[] {
  const { draw = 'line', width = 1.6, low, high } = series;
  const style = seriesStyle(nth);
  const points = series.x.map((value, i) => [x.at(value), y.at(series.y[i])] as const);
  const parts: string[] = [];
  if (low && high) {
    const edge = [
      ...series.x.map((value, i) => [x.at(value), y.at(high[i])] as const),
      ...series.x.map((value, i) => [x.at(value), y.at(low[i])] as const).reverse(),
    ];
    const band = { class: style.class, style: 'stroke:none', 'fill-opacity': 0.18 };
    parts.push(element('path', { ...band, d: `${pathThrough(edge)}Z` }));
  }
  const line = draw === 'steps' ? points.flatMap(([px, py], i) => held(px, py, points[i + 1]?.[0])) : points;
  parts.push(element('path', { ...style, style: 'fill:none', 'stroke-width': width, d: pathThrough(line) }));
  if (draw === 'points' || points.length === 1) {
    parts.push(...points.map(([cx, cy]) => element('circle', { class: style.class, cx, cy, r: 2.8 })));
  }
  return parts;
}

function held(x: number, y: number, next: number | undefined): (readonly [number, number])[] {
  return next === undefined
    ? [[x, y]]
    : [
        [x, y],
        [next, y],
      ];
}

function drawMark(
  mark: { x: number; y: number; label: string },
  x: Scale,
  y: Scale,
  right: number,
): string[] {
  const [cx, cy] = [x.at(mark.x), y.at(mark.y)];
  const onLeft = cx > right - 180;
  return [
    element('circle', { class: 'nm-mark', cx, cy, r: 5, 'stroke-width': 2 }),
    text(mark.label, {
      class: 'nm-ink',
      x: onLeft ? cx - 9 : cx + 9,
      y: cy - 7,
      'text-anchor': onLeft ? 'end' : 'start',
    }),
  ];
}
