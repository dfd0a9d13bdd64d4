import { stringify } from '../../base/csv.js';
import type { Hit } from '../answers/hits.js';
import { ApiError } from '../api-error.js';

/** What results can be had as, with the type that a browser is told. */
export const EXPORT_FORMATS = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  trec: 'text/plain; charset=utf-8',
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** One row a hit: for spreadsheets. */
export function hitsAsCsv(hits: readonly Hit[]): string {
  const fields = [...new Set(hits.flatMap(({ metadata = {} }) => Object.keys(metadata)))].sort();
  const header = ['rank', 'id', 'score', 'title', 'snippet', ...fields];
  const rows = hits.map(({ id, score, title = '', snippet, metadata = {} }, nth) => [
    nth + 1,
    id,
    score,
    title,
    snippet?.text ?? '',
    ...fields.map((field) => metadata[field]),
  ]);
  return stringify([header, ...rows]);
}

/** `qid Q0 docid rank score tag`: what trec_eval and `nearmiss eval` read. */
export function hitsAsTrec(hits: readonly Hit[], { query, tag }: { query: string; tag: string }): string {
  return hits.map(({ id, score }, nth) => `${query} Q0 ${column(id)} ${nth + 1} ${score} ${tag}\n`).join('');
}

function column(id: string): string {
  if (!/\s/.test(id)) return id;
  throw new ApiError(422, 'unavailable', `the id ${JSON.stringify(id)} cannot stand in a TREC run`, {
    hint: 'its columns are separated by blanks: take CSV or JSON',
  });
}
