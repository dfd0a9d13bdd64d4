import { linePlot } from '../../analyze/plot/line-plot.js';
import { count } from '../../base/progress.js';
import { formatTable, type TableFormat } from '../../base/table.js';
import type { LabelCurve, LabelsRow, LabelsStart } from './labels.js';

const NAMES: Record<LabelsStart, string> = { start: 'from the start', adapted: 'from the adapted model' };

/** The curve as a table: a line for each number of labels. */
export function labelsText(curve: LabelCurve, format: TableFormat): string {
  const { dataset, queries, measure, rows, verdict, bm25 } = curve;
  const header = ['labels', `${measure} ${NAMES.start}`, 'p', NAMES.adapted, 'p', 'p against as many labels'];
  const labels = [...new Set(rows.map((row) => row.labels))].sort((a, b) => a - b);
  const cells = (row: LabelsRow | undefined): string[] => [
    row ? row.measures[measure].toFixed(4) : '–',
    chance(row?.pAgainstStart),
  ];
  const table = formatTable(
    {
      header,
      numeric: header.map(() => true),
      rows: labels.map((n) => {
        const of = (from: LabelsStart): LabelsRow | undefined =>
          rows.find((row) => row.from === from && row.labels === n);
        return [
          count(n),
          ...cells(of('start')),
          ...cells(of('adapted')),
          chance(of('adapted')?.pAgainstSame),
        ];
      }),
    },
    format,
  );
  const note = `${dataset}, ${count(queries)} test queries; BM25 ${bm25[measure].toFixed(4)}; p of the paired t-test against the start without labels; adapt's own verdict: ${verdict}`;
  return `${table}\n${note}`;
}

/** A logarithmic axis has no 0: models without labels stand here. */
const NO_LABELS = 10;

/** The curve as a figure. */
export function labelsPlot({ dataset, measure, rows, bm25 }: LabelCurve): string {
  const at = (labels: number): number => Math.max(labels, NO_LABELS);
  const series = (['start', 'adapted'] as const).flatMap((from) => {
    const own = rows.filter((row) => row.from === from).sort((a, b) => a.labels - b.labels);
    if (own.length === 0) return [];
    const [x, y] = [own.map(({ labels }) => at(labels)), own.map(({ measures }) => measures[measure])];
    return [{ label: NAMES[from], x, y, draw: 'points' as const }];
  });
  const ends = [NO_LABELS, Math.max(...rows.map(({ labels }) => at(labels)))];
  return linePlot({
    title: `What a label is worth: ${dataset}`,
    x: 'queries with a label that were learned from',
    y: measure,
    series: [...series, { label: 'BM25', x: ends, y: ends.map(() => bm25[measure]) }],
    scales: { x: 'log' },
    rules: [{ x: NO_LABELS, label: 'no labels' }],
  });
}

function chance(p: number | undefined): string {
  if (p === undefined) return '–';
  return p < 0.0001 ? '< .0001' : p.toFixed(4).replace(/^0/, '');
}
