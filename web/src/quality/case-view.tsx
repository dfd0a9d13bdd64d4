import { ErrorState, Spinner } from '../components/index.js';
import { Link, pathWith } from '../router.js';
import { DocumentLink } from '../study/document-link.js';
import { useRequest } from '../use-request.js';
import { type QualityCase, type QualityHit, readCase } from './quality-api.js';

export interface CaseViewProps {
  run: string;
  query: string;
  split: string;
  step: number;
}

/** What BM25 and the model find for one query, side by side. */
export function CaseView({ run, query, split, step }: CaseViewProps) {
  const found = useRequest(JSON.stringify([run, query, split, step]), (signal) =>
    readCase(run, { query, split, step }, { signal }),
  );
  if (found.error) return <ErrorState error={found.error} onRetry={found.reload} />;
  if (!found.data) return <Spinner label="Reading the result lists" />;
  return <Lists run={run} found={found.data} />;
}

function Lists({ run, found }: { run: string; found: QualityCase }) {
  const { id, text, lists, relevant } = found;
  const missed = relevant.filter(({ ranks }) => ranks.bm25 === undefined && ranks.model === undefined);
  return (
    <section class="panel case" aria-label={`Results for ${text}`}>
      <h2>{text}</h2>
      <p class="soft small">
        <code>{id}</code> · {relevant.length} relevant {relevant.length === 1 ? 'document' : 'documents'}
        {missed.length > 0 && `, ${missed.length} found by neither`} ·{' '}
        <Link href={pathWith('/space', { run, query: id })}>See it in space</Link>
      </p>
      <div class="case-lists">
        <ResultList run={run} title="BM25" hits={lists.bm25} other="model" />
        <ResultList run={run} title="Trained model" hits={lists.model} other="BM25" />
      </div>
    </section>
  );
}

interface ResultListProps {
  run: string;
  title: string;
  hits: QualityHit[];
  other: string;
}

function ResultList({ run, title, hits, other }: ResultListProps) {
  return (
    <div>
      <h3>{title}</h3>
      {hits.length === 0 && <p class="soft">Nothing found.</p>}
      <ol class="case-hits">
        {hits.map((hit) => (
          <li key={hit.id} class={isRelevant(hit) ? 'case-relevant' : undefined}>
            <DocumentLink run={run} id={hit.id}>
              {hit.title ?? (hit.excerpt || hit.id)}
            </DocumentLink>
            <p class="small soft case-meta">
              {isRelevant(hit) ? <b class="case-mark">✓ relevant</b> : judgment(hit)} ·{' '}
              {hit.otherRank === undefined ? `not in ${other}'s 100` : `${other}: ${hit.otherRank}`}
            </p>
            {hit.title && <p class="small case-excerpt">{hit.excerpt}</p>}
          </li>
        ))}
      </ol>
    </div>
  );
}

function isRelevant({ grade }: QualityHit): boolean {
  return grade !== undefined && grade > 0;
}

function judgment({ grade }: QualityHit): string {
  return grade === undefined ? 'not judged' : 'judged not relevant';
}
