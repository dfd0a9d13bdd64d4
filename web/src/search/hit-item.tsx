import { useId, useState } from 'preact/hooks';
import type { Hit, Place } from '../api.js';
import { Button } from '../components/index.js';
import { Link } from '../router.js';
import { ExplainHit } from './explain-hit.js';
import { isScalar, type Scalar, showValue } from './filter-conditions.js';
import { formatScore } from './format-score.js';
import { Highlighted } from './highlighted.js';
import { JudgeButtons } from './judge-buttons.js';
import { MoveBadge } from './move-badge.js';
import { ownMetadata, placeText } from './place.js';
import type { Move } from './rank-moves.js';
import { SnippetView } from './snippet-view.js';
import type { Explanations } from './use-explanations.js';

export interface HitItemProps {
  hit: Hit;
  rank: number;
  href: string;
  /** How scores came about; absent where that cannot be asked for. */
  explanations?: Explanations;
  /** In a comparison, and which column it is counted from. */
  move?: { move: Move; base: string };
  /** Whether the pointer or the keyboard is on this document, in any column. */
  active?: boolean;
  onActive?: (id: string | undefined) => void;
  onFilter?: (field: string, value: Scalar) => void;
  /** What was said of it, and a way to say it; absent where nothing can be kept. */
  judged?: { grade: number | undefined; onJudge: (grade: number) => void };
}

export function HitItem({
  hit,
  rank,
  href,
  explanations,
  move,
  active,
  onActive,
  onFilter,
  judged,
}: HitItemProps) {
  const { id, title, titleHighlights = [], snippet, score, metadata, place, group } = hit;
  const [open, setOpen] = useState(false);
  const explainId = useId();
  return (
    <li
      class={`hit ${active ? 'hit-active' : ''}`}
      data-document={id}
      onMouseEnter={() => onActive?.(id)}
      onMouseLeave={() => onActive?.(undefined)}
      onFocusIn={() => onActive?.(id)}
      onFocusOut={() => onActive?.(undefined)}
      onKeyDown={(event) => {
        if (event.key === '+') judged?.onJudge(1);
        if (event.key === '-') judged?.onJudge(0);
      }}
    >
      <span class="hit-rank" aria-hidden="true">
        {rank}
      </span>
      <div class="hit-body">
        <div class="hit-head">
          <h3>
            <Link href={href} data-hit>
              {title ? <Highlighted text={title} highlights={titleHighlights} /> : id}
            </Link>
          </h3>
          {move && <MoveBadge {...move} />}
          {judged && <JudgeButtons name={title || id} {...judged} />}
        </div>
        {snippet?.text && <SnippetView snippet={snippet} />}
        <div class="hit-facts">
          <span class="mono" title="Score">
            {formatScore(score)}
          </span>
          {place ? (
            <PlaceChip place={place} onFilter={onFilter} />
          ) : (
            title && <span class="hit-id">{id}</span>
          )}
          {group && group.others.length > 0 && (
            <span>
              and {group.others.length} more in this {place ? 'file' : 'group'}
            </span>
          )}
          {ownMetadata(metadata, place).map(([field, value]) =>
            isScalar(value) && onFilter ? (
              <button
                key={field}
                type="button"
                class="chip"
                title={`Only documents whose ${field} is ${showValue(value)}`}
                onClick={() => onFilter(field, value)}
              >
                {field}: {showValue(value)}
              </button>
            ) : (
              <span key={field} class="chip">
                {field}: {showValue(value)}
              </span>
            ),
          )}
          {explanations && (
            <Button
              kind="quiet"
              class="hit-explain"
              aria-expanded={open}
              aria-controls={open ? explainId : undefined}
              onClick={() => setOpen(!open)}
            >
              Explain<span class="visually-hidden"> the score of {title || id}</span>
            </Button>
          )}
        </div>
        {open && explanations && <ExplainHit id={explainId} document={id} explanations={explanations} />}
      </div>
    </li>
  );
}

/** Where a passage stands; a click shows what else is found in its file. */
function PlaceChip({ place, onFilter }: { place: Place; onFilter: HitItemProps['onFilter'] }) {
  if (!onFilter) return <span class="hit-place">{placeText(place)}</span>;
  return (
    <button
      type="button"
      class="hit-place"
      title={`Only passages of ${place.path}`}
      onClick={() => onFilter('path', place.path)}
    >
      {placeText(place)}
    </button>
  );
}
