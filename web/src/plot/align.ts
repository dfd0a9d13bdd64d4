import uPlot from 'uplot';
import type { LineSeries } from './line-chart.js';

/** Puts series with different x on the union of all x. A logarithmic axis has no place for 0 and below. */
export function alignSeries(series: readonly LineSeries[], scale: 'linear' | 'log'): uPlot.AlignedData {
  if (series.length === 0) return [[]];
  const tables = series.map(({ x, y }): uPlot.AlignedData => {
    const shown = scale === 'log' ? y.map((value) => (value !== null && value > 0 ? value : null)) : y;
    return [[...x], [...shown]];
  });
  return uPlot.join(tables);
}
