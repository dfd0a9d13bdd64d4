import { type FigureText, Frame } from './frame.js';
import { element, text } from './markup.js';
import { formatTick, makeScale } from './scale.js';
import { seriesStyle } from './style.js';

export interface BarPlot extends FigureText {
  /** One row for each thing, with a bar for each series. */
  rows: readonly { label: string; values: readonly number[] }[];
  series: readonly string[];
  /** Values that the axis shows in any case. Default 0. */
  include?: readonly number[];
  /** How a bar's value is written beside it. */
  format?: (value: number) => string;
}

const BAR = 13;
const GAP = 12;

/** Bars from left to right, so that their names have room. */
export function barPlot(plot: BarPlot): string {
  const { rows, series, include = [0], format = formatTick } = plot;
  const frame = new Frame({
    ...plot,
    legend: series.length > 1 ? series : [],
    left: 130,
    height: 110 + rows.length * (series.length * BAR + GAP),
  });
  const { left, right, top } = frame.area;
  const x = makeScale({
    kind: 'linear',
    values: rows.flatMap(({ values }) => values),
    include: [0, ...include],
    range: [left, right - 44],
  });
  const data = rows.flatMap(({ label, values }, row) => {
    const start = top + GAP / 2 + row * (series.length * BAR + GAP);
    const middle = start + (series.length * BAR) / 2;
    return [
      text(label, { class: 'nm-ink', x: left - 8, y: middle + 4, 'text-anchor': 'end' }),
      ...values.flatMap((value, nth) => {
        if (!Number.isFinite(value)) return [];
        const y = start + nth * BAR;
        const width = Math.max(0, x.at(value) - left);
        return [
          element('rect', { class: seriesStyle(nth).class, x: left, y: y + 1, width, height: BAR - 2 }),
          text(format(value), { class: 'nm-soft', x: left + width + 5, y: y + BAR - 3 }),
        ];
      }),
    ];
  });
  return frame.render({ x }, data);
}
