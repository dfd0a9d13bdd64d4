import { Table } from '../components/table.js';
import { formatCount, formatMeasure, formatSeconds } from './format.js';
import type { RunDetails } from './runs-api.js';

/** What stages made, how teachers did before anything was learned from them, and what rules removed. */
export function TeachingPart({ run }: { run: RunDetails }) {
  const { teachers, made, mined } = run;
  return (
    <>
      {teachers.length > 0 && (
        <div class="panel">
          <Table
            caption="Teachers beside their students, on what these find"
            rows={teachers}
            rowKey={({ stage }) => stage}
            columns={[
              { name: 'Stage', cell: ({ stage }) => stage },
              {
                name: 'Measure',
                cell: ({ measure, split, queries }) => `${measure}, ${queries} of ${split}`,
              },
              { name: 'Teacher', numeric: true, cell: ({ teacher }) => formatMeasure(teacher) },
              { name: 'Student', numeric: true, cell: ({ student }) => formatMeasure(student) },
              {
                name: 'Kendall’s τ',
                numeric: true,
                cell: ({ agreement }) => (agreement === undefined ? '–' : formatMeasure(agreement)),
              },
              {
                name: 'Ahead',
                cell: ({ teacher, student }) =>
                  teacher > student ? 'teacher' : <strong class="bad">not the teacher</strong>,
              },
            ]}
          />
        </div>
      )}
      {made.length > 0 && (
        <div class="panel">
          <Table
            caption="What stages made"
            rows={made}
            rowKey={({ stage }) => stage}
            columns={[
              { name: 'Stage', cell: ({ stage }) => stage },
              { name: 'Made', cell: ({ maker }) => maker },
              { name: 'Figures', cell: ({ figures }) => inWords(figures ?? {}) || '–' },
              { name: 'Took', numeric: true, cell: ({ seconds }) => formatSeconds(seconds) },
            ]}
          />
        </div>
      )}
      {mined.length > 0 && (
        <div class="panel">
          <Table
            caption="What the rules left of candidates that do not change"
            rows={mined}
            rowKey={({ step, source }) => `${step} ${source}`}
            columns={[
              { name: 'Source', cell: ({ source }) => source },
              { name: 'Ranked', numeric: true, cell: ({ mining }) => formatCount(mining.ranked) },
              { name: 'Kept', numeric: true, cell: ({ mining }) => formatCount(mining.kept) },
              { name: 'Removed by', cell: ({ mining }) => inWords(mining.removed) || 'nothing' },
              {
                name: 'Queries without',
                numeric: true,
                cell: ({ mining }) => formatCount(mining.withoutCandidates),
              },
            ]}
          />
        </div>
      )}
    </>
  );
}

/** Figures by name, those that are something. */
function inWords(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name} ${formatCount(value)}`)
    .join(' · ');
}
