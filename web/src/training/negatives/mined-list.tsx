import { Button } from '../../components/index.js';
import { formatNumber } from '../../plot/line-chart.js';
import { DocumentLink } from '../../study/document-link.js';
import { formatCount } from '../format.js';
import type { MinedNegatives, ShownDocument } from '../runs-api.js';

const SOURCES: Record<MinedNegatives['provenance']['source'], string> = {
  ann: 'Ranked by the model itself',
  bm25: 'Ranked by BM25',
  static: 'Ranked by a file that stays as it is',
};
/** More ranks than this say no more. */
const MOST_RANKS = 12;

export interface MinedListProps {
  run: string;
  mined: MinedNegatives;
  onMore: () => void;
}

/** A query with its positives, and the candidates that negatives are sampled from. */
export function MinedList({ run, mined, onMore }: MinedListProps) {
  const { query, positives, negatives, count } = mined;
  return (
    <>
      <div class="panel">
        <h3>{query.text}</h3>
        <Origin mined={mined} />
        <Removed mined={mined} />
      </div>
      <h3>{positives.length === 1 ? 'Its positive' : `Its ${positives.length} positives`}</h3>
      <ul class="documents">
        {positives.map((document) => (
          <li key={document.id} class="document-card positive">
            <DocumentText run={run} document={document} />
          </li>
        ))}
      </ul>
      <h3>
        {count === 0 ? 'No negatives left' : `${formatCount(count)} candidates for negatives`}
        <span class="soft small"> by rank</span>
      </h3>
      <ol class="documents">
        {negatives.map(({ rank, score, document, wasCandidate }) => (
          <li key={document.id} class="document-card">
            <div class="document-origin small">
              <span class="mono">rank {rank}</span>
              {score !== undefined && <span class="mono soft">score {formatNumber(score)}</span>}
              {wasCandidate === false && <span class="badge badge-running">new</span>}
              {wasCandidate && <span class="badge">as before</span>}
            </div>
            <DocumentText run={run} document={document} />
          </li>
        ))}
      </ol>
      {negatives.length < count && <Button onClick={onMore}>More candidates</Button>}
    </>
  );
}

function Origin({ mined: { provenance } }: { mined: MinedNegatives }) {
  const { source, checkpoint, previous, index, depth } = provenance;
  const parts = [
    SOURCES[source],
    checkpoint !== undefined && `checkpoint ${formatCount(checkpoint)}`,
    index && `index ${index}`,
    `down to rank ${formatCount(depth)}`,
    previous !== undefined && `“new” is against step ${formatCount(previous)}`,
  ];
  return <p class="soft small">{parts.filter(Boolean).join(' · ')}</p>;
}

function Removed({ mined: { removedRanks, provenance } }: { mined: MinedNegatives }) {
  const { rules, report } = provenance;
  const ranks = removedRanks.slice(0, MOST_RANKS).join(', ');
  const names = rules.map(({ name, parameters }) => {
    const values = Object.entries(parameters).map(([key, value]) => `${key} ${value}`);
    return values.length > 0 ? `${name} (${values.join(', ')})` : name;
  });
  const removed = Object.entries(report.removed).map(([rule, count]) => `${rule} ${formatCount(count)}`);
  return (
    <p class="soft small">
      {removedRanks.length === 0
        ? 'The rules removed nothing from its ranking'
        : `The rules removed rank ${ranks}${removedRanks.length > MOST_RANKS ? ' …' : ''}`}{' '}
      · rules: {names.join(', ')} · over all queries of that refresh: {removed.join(', ')} of{' '}
      {formatCount(report.ranked)}
    </p>
  );
}

function DocumentText({ run, document }: { run: string; document: ShownDocument }) {
  return (
    <>
      <DocumentLink run={run} id={document.id} class="document-name">
        {document.title ?? document.id}
      </DocumentLink>
      <p class="document-text">{document.text}</p>
    </>
  );
}
