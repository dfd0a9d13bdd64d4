import { count } from '../../../base/progress.js';
import { formatTable } from '../../../base/table.js';
import type { MiningReport } from '../../../negatives/index.js';

/** What was mined from what, and what came of it. */
export interface Summary {
  data: string;
  split: string;
  source: string;
  index?: string;
  documents: number;
  queries: number;
  depth: number;
  report: MiningReport;
  out?: string;
  /** What `out` holds. */
  written?: string;
}

export function formatReport(summary: Summary): string {
  const { data, split, index, source, documents, queries, depth, report, out, written } = summary;
  const share = (part: number, whole: number): string =>
    whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`;
  const row = (name: string, candidates: number): string[] => [
    name,
    count(candidates),
    share(candidates, report.ranked),
  ];
  const table = formatTable({
    header: ['candidates', '', ''],
    rows: [
      row(`ranked, to rank ${depth}`, report.ranked),
      ...Object.entries(report.removed).map(([rule, removed]) => row(`− ${rule}`, removed)),
      row('= kept', report.kept),
    ],
    numeric: [false, true, true],
  });
  const facts = formatTable({
    header: ['queries', '', ''],
    rows: [
      ['ranked', count(report.queries), share(report.queries, queries)],
      [
        'with a positive among the ranked',
        count(report.positivesFound),
        share(report.positivesFound, queries),
      ],
      ['left without a candidate', count(report.empty), share(report.empty, queries)],
    ],
    numeric: [false, true, true],
  });
  const heading = `${data}, split ${split}: ${count(queries)} queries, ${count(documents)} documents; ${index ?? source}`;
  const perQuery = report.queries === 0 ? 0 : report.kept / report.queries;
  const means = `${perQuery.toFixed(1)} candidates a query, at rank ${report.meanRank.toFixed(1)} on average`;
  const place = out === undefined ? '' : `${out}: ${written}\n`;
  return `${heading}\n\n${table}\n${facts}\n${means}\n${place}`;
}
