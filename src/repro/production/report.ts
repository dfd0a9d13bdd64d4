import { formatTable, type TableFormat } from '../../base/table.js';
import type { ProductionCell } from './production.js';

/** The study for people: relative gains, a row for each setting. */
export function productionText(
  {
    dataset,
    ownDocuments,
    cells,
  }: { dataset: string; ownDocuments: number; cells: readonly ProductionCell[] },
  format: TableFormat,
): string {
  const number = (value: number): string => value.toFixed(3).replace(/^0/, '');
  const header = [
    'documents',
    'dimensions',
    'search',
    'baseline RR@10',
    'ANCE RR@10',
    'gain',
    'p',
    'R@100',
    'ANCE R@100',
  ];
  const table = {
    header,
    numeric: header.map((_, i) => i !== 1 && i !== 2),
    rows: cells.map(({ documents, space, search, baseline, ance, gain, p }) => [
      String(documents),
      space,
      search,
      number(baseline['RR@10']),
      number(ance['RR@10']),
      Number.isFinite(gain) ? `${gain < 0 ? '−' : '+'}${Math.abs(100 * gain).toFixed(1)} %` : '–',
      p < 0.0001 ? '< .0001' : p.toFixed(4).replace(/^0/, ''),
      number(baseline['R@100']),
      number(ance['R@100']),
    ]),
  };
  const note = `${dataset}, ${ownDocuments} documents of its own; baseline: dpr, ANCE: ance-firstp, both from the same start and with as many steps; gain and p of RR@10`;
  return `${formatTable(table, format)}\n\n${note}`;
}
