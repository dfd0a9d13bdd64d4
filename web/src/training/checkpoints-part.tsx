import { Table } from '../components/table.js';
import { formatCount, formatMeasure, formatSeconds, formatShare } from './format.js';
import type { RunDetails } from './runs-api.js';

const STEP = {
  name: 'Step',
  numeric: true,
  cell: ({ step }: { step: number }) => formatCount(step),
  sortBy: ({ step }: { step: number }) => step,
};

/** What was measured, what each refresh took, and what is on disk. */
export function CheckpointsPart({ run }: { run: RunDetails }) {
  const measures = [...new Set(run.evaluations.flatMap((evaluation) => Object.keys(evaluation.measures)))];
  const tick = (is: boolean) => (is ? <span title="yes">✓</span> : <span class="soft">–</span>);
  return (
    <div class="stack">
      {run.evaluations.length === 0 && run.checkpoints.length === 0 && (
        <p class="soft">No checkpoint yet: the first comes before the first step.</p>
      )}
      {run.evaluations.length > 0 && (
        <div class="panel">
          <Table
            caption="Evaluations on the dev split"
            rows={run.evaluations}
            rowKey={({ step }) => step}
            columns={[
              STEP,
              ...measures.map((measure) => ({
                name: measure,
                numeric: true,
                cell: (row: (typeof run.evaluations)[number]) =>
                  row.measures[measure] === undefined ? '–' : formatMeasure(row.measures[measure]),
                sortBy: (row: (typeof run.evaluations)[number]) => row.measures[measure] ?? -1,
              })),
              { name: 'Best', cell: ({ best }) => best && <span class="badge badge-finished">best</span> },
              { name: 'Took', numeric: true, cell: ({ seconds }) => formatSeconds(seconds) },
            ]}
          />
        </div>
      )}
      {run.refreshes.length > 0 && (
        <div class="panel">
          <Table
            caption="Refreshes of the negatives"
            rows={run.refreshes}
            rowKey={({ step }) => step}
            columns={[
              STEP,
              { name: 'Encoding', numeric: true, cell: ({ encodeSeconds }) => formatSeconds(encodeSeconds) },
              { name: 'Indexing', numeric: true, cell: ({ indexSeconds }) => formatSeconds(indexSeconds) },
              { name: 'Searching', numeric: true, cell: ({ searchSeconds }) => formatSeconds(searchSeconds) },
              { name: 'Documents', numeric: true, cell: ({ documents }) => formatCount(documents) },
              { name: 'Queries', numeric: true, cell: ({ queries }) => formatCount(queries) },
              {
                name: 'Replaced',
                numeric: true,
                cell: ({ replacedShare }) => (replacedShare === undefined ? '–' : formatShare(replacedShare)),
                sortBy: ({ replacedShare }) => replacedShare ?? -1,
              },
            ]}
          />
        </div>
      )}
      {run.checkpoints.length > 0 && (
        <div class="panel">
          <Table
            caption="Checkpoints on disk"
            rows={run.checkpoints}
            rowKey={({ step }) => step}
            columns={[
              STEP,
              { name: 'Indexed', cell: ({ indexed }) => tick(indexed) },
              { name: 'Mined', cell: ({ mined }) => tick(mined) },
              { name: 'Measured', cell: ({ measured }) => tick(measured) },
              { name: 'Best', cell: ({ best }) => tick(best) },
            ]}
          />
        </div>
      )}
    </div>
  );
}
