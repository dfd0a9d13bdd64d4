import type { Adaptation } from '../../../src/serve/answers/runs.js';
import { Table } from '../components/table.js';
import { Term } from '../components/term.js';
import { termOfMeasure } from '../glossary/terms.js';
import { Link, pathWith } from '../router.js';
import { formatCount, formatMeasure } from './format.js';

const VERDICTS: Record<Adaptation['verdict'], string> = {
  better:
    'Better: its vectors answer held-out queries better than those of the model it began with, by more than chance.',
  level:
    'Level: what was learned makes no difference to the vectors that could not be chance. The model it began with stays.',
  'not better':
    'Not better: with what was learned, vectors answer held-out queries worse. The model it began with stays.',
};

/** What came of an adaptation, and how far that can be trusted. */
export function AdaptationResult({ run, adaptation }: { run: string; adaptation: Adaptation }) {
  const { verdict, measure, isMade, natural, unread, kinds } = adaptation;
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
      <p class="soft small">
        {isMade ? (
          <>
            {natural
              ? 'These queries were made of the documents; what people ask may differ.'
              : 'Nothing in the documents was written as a query, so parts of their texts measured, which are poor judges.'}{' '}
            They compare the two models by vectors alone; a search uses either together with{' '}
            <Term id="bm25">BM25</Term>, and whether that got better they cannot tell.
          </>
        ) : (
          <>
            People's questions also decided whether a search uses the model together with{' '}
            <Term id="bm25">BM25</Term>: <Link href={pathWith('/quality', { run })}>Quality</Link> has the
            figures.
          </>
        )}{' '}
        {unread &&
          'The documents are not in Latin letters, and the model it began with reads English: BM25 alone may find more.'}{' '}
        Look for yourself:
      </p>
      <p>
        <Link href={pathWith('/before-after', { run })}>Search before and after, side by side</Link>
      </p>
    </section>
  );
}
