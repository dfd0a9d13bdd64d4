import type { Summary } from '../statistics.js';
import { type FigureText, Frame } from './frame.js';
import { element, text } from './markup.js';
import { makeScale, type ScaleKind } from './scale.js';
import { seriesStyle } from './style.js';

export interface BoxPlot extends FigureText {
  rows: readonly (Summary & { label: string })[];
  scale?: ScaleKind;
}

const ROW = 30;

/** Distributions below each other: whiskers at the 10th and 90th percentile, the box at the quartiles, a dot at the mean. */
export function boxPlot(plot: BoxPlot): string {
  const { rows, scale = 'linear' } = plot;
  const frame = new Frame({ ...plot, left: 130, height: 96 + rows.length * ROW });
  const { left, right, top } = frame.area;
  const x = makeScale({
    kind: scale,
    values: rows.flatMap(({ p10, p90, mean }) => [p10, p90, mean]),
    range: [left, right - 10],
  });
  const data = rows.flatMap((row, nth) => {
    const y = top + (nth + 0.5) * ROW;
    const { class: style } = seriesStyle(nth);
    const line = (from: number, to: number, width: number): string =>
      element('line', { class: style, x1: x.at(from), x2: x.at(to), y1: y, y2: y, 'stroke-width': width });
    const box = { class: style, 'fill-opacity': 0.25, x: x.at(row.p25), y: y - 8 };
    return [
      text(row.label, { class: 'nm-ink', x: left - 8, y: y + 4, 'text-anchor': 'end' }),
      line(row.p10, row.p90, 1.5),
      element('rect', { ...box, width: Math.max(1, x.at(row.p75) - x.at(row.p25)), height: 16 }),
      element('line', {
        class: style,
        x1: x.at(row.median),
        x2: x.at(row.median),
        y1: y - 8,
        y2: y + 8,
        'stroke-width': 3,
      }),
      element('circle', { class: 'nm-ink', cx: x.at(row.mean), cy: y, r: 3 }),
    ];
  });
  return frame.render({ x }, data);
}
