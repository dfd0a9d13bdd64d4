import type { Adaptation } from '../../../src/serve/answers/runs.js';
import { Table } from '../components/table.js';
import { Term } from '../components/term.js';
import { termOfMeasure } from '../glossary/terms.js';
import { Link, pathWith } from '../router.js';
import { formatCount, formatMeasure } from './format.js';

const VERDICTS: Record<Adaptation['verdict'], string> = {
  better: 'Better: it answers held-out queries better than the model as published, by more than chance.',
  level:
    'Level: what was learned makes no difference that could not be chance. The model as published stays.',
  'not better': 'Not better: what was learned makes search worse here. The model as published stays.',
};

/** What came of an adaptation, and how far that can be trusted. */
export function AdaptationResult({ run, adaptation }: { run: string; adaptation: Adaptation }) {
  const { verdict, measure, isMade, kinds } = adaptation;
  return (
    <section class="panel stack adaptation" aria-label={`What came of ${run}`}>
      <p>
        <b>{VERDICTS[verdict]}</b>
      </p>
      <Table
        caption="Held-out queries, before and after"
        captionHidden
        rows={kinds}
        rowKey={({ kind }) => kind}
        columns={[
          { name: 'Queries', cell: ({ kind }) => kind },
          { name: 'Number', numeric: true, cell: ({ queries }) => formatCount(queries) },
          {
            name: `${measure} before`,
            term: termOfMeasure(measure),
            numeric: true,
            cell: ({ start }) => formatMeasure(start),
          },
          { name: 'After', numeric: true, cell: ({ adapted }) => formatMeasure(adapted) },
          {
            name: 'p',
            term: 'significance',
            numeric: true,
            cell: ({ p }) => (p < 0.0001 ? '< 0.0001' : p.toFixed(4)),
          },
        ]}
      />
      {isMade && (
        <p class="soft small">
          These queries were made of the documents; what people ask may differ. They compare the two models by
          vectors alone; a search uses either together with <Term id="bm25">BM25</Term>. Look for yourself:
        </p>
      )}
      <p>
        <Link href={pathWith('/before-after', { run })}>Search before and after, side by side</Link>
      </p>
    </section>
  );
}
