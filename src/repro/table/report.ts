import { escapeCell, formatTable, type TableFormat } from '../../base/table.js';
import type { Table, TableResult } from './table.js';

/** p-values below this are marked. */
const ALPHA = 0.01;

/**
 * The table for people. Letters at the end name the systems that a row is significantly ahead of by the first measure (paired
 * t-test, p < .01).
 */
export function tableText({ dataset, rows }: Table, format: TableFormat): string {
  const measures = Object.keys(rows[0].measures);
  const [decides] = measures;
  const reranked = rows.some(({ rerank }) => rerank) ? measures : [];
  const letter = (row: number): string => String.fromCharCode(97 + row);
  const number = (value: number | undefined): string =>
    value === undefined ? '–' : value.toFixed(3).replace(/^0/, '');
  const ahead = (row: TableResult): string =>
    rows
      .flatMap((other, i) => {
        const leads = row.measures[decides] > other.measures[decides] && row.pValues[other.system] < ALPHA;
        return leads ? letter(i) : [];
      })
      .join('');
  const header = [
    '',
    'system',
    ...measures,
    ...reranked.map((name) => `rerank ${name}`),
    'steps',
    'seconds',
    'ahead of',
  ];
  const table = {
    header,
    numeric: header.map((_, i) => i > 1 && i < header.length - 1),
    rows: rows.map((row, i) => [
      letter(i),
      escapeCell(row.system, format),
      ...measures.map((name) => number(row.measures[name])),
      ...reranked.map((name) => number(row.rerank?.[name])),
      String(row.steps),
      String(Math.round(row.seconds)),
      ahead(row),
    ]),
  };
  const seeds = rows.find((row) => row.seeds)?.seeds;
  const means = seeds ? `; means over seeds ${seeds.map(({ seed }) => seed).join(', ')}` : '';
  const note = `${dataset}${means}; "ahead of": ${decides} significantly higher, paired t-test, p < ${ALPHA}`;
  return `${formatTable(table, format)}\n\n${note}`;
}
