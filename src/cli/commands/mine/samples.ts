import { shorten } from '../../../base/errors.js';
import { printable } from '../../../base/printable.js';
import { formatTable } from '../../../base/table.js';
import type { Sample, SampleDocument } from '../../../negatives/index.js';

const SNIPPET = 100;

export function formatSamples(samples: readonly Sample[]): string {
  return samples.map(formatSample).join('');
}

function formatSample({ id, query, positives, negatives, dropped }: Sample): string {
  const row = (mark: string, { id, rank, score, text }: SampleDocument): string[] => [
    mark,
    rank === undefined ? '–' : `${rank}`,
    score?.toFixed(4) ?? '',
    id,
    text,
  ];
  const table = formatTable({
    header: ['', 'rank', 'score', 'id', 'document'],
    rows: [
      ...positives.map((positive) => row('+', positive)),
      ...negatives.map((negative) => row('−', negative)),
      ...(dropped ?? []).map((document) => row(`× ${document.rule}`, document)),
    ],
    numeric: [false, true, true, false, false],
  });
  return `\n${printable(id)}: ${printable(shorten(query, SNIPPET))}\n${table}`;
}
