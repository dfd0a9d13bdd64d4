import { Table } from '../components/table.js';
import { alignSeries } from './align.js';
import type { LineSeries } from './line-chart.js';

export interface SeriesTableProps {
  title: string;
  xLabel: string;
  series: readonly LineSeries[];
  format: (value: number) => string;
}

const MAX_ROWS = 100;

/** The numbers behind a chart. Of very many points about a hundred are shown, evenly spaced, the last always. */
export function SeriesTable({ title, xLabel, series, format }: SeriesTableProps) {
  const [x, ...ys] = alignSeries(series, 'linear');
  const stride = Math.ceil(x.length / MAX_ROWS) || 1;
  const rows = Array.from(x, (_, nth) => nth).filter((nth) => (x.length - 1 - nth) % stride === 0);
  const cell = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : format(value);
  return (
    <Table
      caption={title}
      captionHidden
      rows={rows}
      rowKey={(row) => row}
      columns={[
        { name: xLabel, numeric: true, cell: (row) => x[row].toLocaleString('en') },
        ...series.map(({ name }, nth) => ({
          name,
          numeric: true,
          cell: (row: number) => cell(ys[nth][row]),
        })),
      ]}
    />
  );
}
