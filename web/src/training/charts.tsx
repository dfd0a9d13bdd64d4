import { useMemo } from 'preact/hooks';
import { Table } from '../components/table.js';
import { formatNumber, LineChart } from '../plot/line-chart.js';
import { type ChartOptions, chartsOf, type ShownRun } from './chart-specs.js';
import type { RunDetails } from './runs-api.js';

/** All charts, with one cursor. */
export function Charts({ runs, ...options }: { runs: readonly ShownRun[] } & ChartOptions) {
  const shown = JSON.stringify([
    runs.map(({ name, curves, colour }) => [name, curves.version, colour]),
    options,
  ]);
  // `shown` stands for everything that the charts depend on.
  const charts = useMemo(() => chartsOf(runs, options), [shown]);
  if (charts.length === 0)
    return <p class="soft">No step has been taken yet: curves begin with the first.</p>;
  return (
    <div class="charts">
      {charts.map((chart) => (
        <LineChart key={chart.title} {...chart} xLabel="step" syncKey="training" />
      ))}
    </div>
  );
}

/** What the sources would teach the same model, where it was measured. */
export function MeasuredSources({ details }: { details: RunDetails }) {
  const { measuredSources } = details;
  if (!measuredSources) {
    return (
      <p class="soft small">
        How much each source of negatives teaches the same model stands here once{' '}
        <code>nearmiss analyze</code> has measured it on the command line.
      </p>
    );
  }
  return (
    <div class="panel">
      <Table
        caption={`Gradient norm of a negative, by source${
          measuredSources.step === undefined ? '' : `, for the model of step ${measuredSources.step}`
        }`}
        rows={measuredSources.sources}
        rowKey={({ source }) => source}
        columns={[
          { name: 'Source', cell: ({ source }) => source, sortBy: ({ source }) => source },
          {
            name: 'Mean ‖∇l‖',
            numeric: true,
            cell: ({ mean }) => formatNumber(mean),
            sortBy: ({ mean }) => mean,
          },
          {
            name: '× in-batch',
            numeric: true,
            cell: ({ toInBatch }) => (toInBatch === undefined ? '–' : formatNumber(toInBatch)),
          },
        ]}
      />
    </div>
  );
}
