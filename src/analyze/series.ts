import { mean } from '../base/numbers/mean.js';

/** A curve; where it was thinned, `low` and `high` are the extremes of what each point stands for. */
export interface Series {
  x: number[];
  y: number[];
  low?: number[];
  high?: number[];
}

/** More points than this cannot be told apart in a figure. */
const MOST_POINTS = 400;

/** A column over the steps that have a number in it. */
export function finite(column: readonly number[]): Series {
  const series: Series = { x: [], y: [] };
  column.forEach((value, step) => {
    if (!Number.isFinite(value)) return;
    series.x.push(step);
    series.y.push(value);
  });
  return series;
}

/** Replaces neighbouring points by their mean and extremes until at most `most` are left. */
export function thin({ x, y }: Series, most = MOST_POINTS): Series {
  if (x.length <= most) return { x, y };
  const thinned: Required<Series> = { x: [], y: [], low: [], high: [] };
  for (let bucket = 0; bucket < most; bucket++) {
    const start = Math.floor((bucket * x.length) / most);
    const end = Math.floor(((bucket + 1) * x.length) / most);
    const values = y.slice(start, end);
    thinned.x.push(mean(x.slice(start, end)));
    thinned.y.push(mean(values));
    thinned.low.push(Math.min(...values));
    thinned.high.push(Math.max(...values));
  }
  return thinned;
}
