import type { SearchMode } from '../api.js';
import { EmptyState, ErrorState, Spinner } from '../components/index.js';
import { modeText } from '../modes.js';
import { ExportMenu } from './export-menu.js';
import type { Scalar } from './filter-conditions.js';
import { HitItem } from './hit-item.js';
import type { Move } from './rank-moves.js';
import { documentPath, type SearchState } from './search-state.js';
import { useExplanations } from './use-explanations.js';
import type { Judgments } from './use-judgments.js';
import type { Outcome } from './use-searches.js';

export interface ResultColumnProps {
  mode: SearchMode;
  state: SearchState;
  outcome: Outcome;
  /** In a comparison. */
  compared?: { moves: Map<string, Move> | undefined; base: string };
  active: string | undefined;
  onActive: (id: string | undefined) => void;
  onFilter: (field: string, value: Scalar) => void;
  judgments: Judgments | undefined;
  onRetry: () => void;
}

/** The hits of one mode, with their number and time; or why there are none. */
export function ResultColumn(props: ResultColumnProps) {
  const { mode, state, outcome, compared, active, onActive, onFilter, judgments, onRetry } = props;
  const { answer, error, loading } = outcome;
  const explanations = useExplanations(outcome);
  return (
    <section
      class={`column column-${mode}`}
      aria-label={`${modeText(mode).label} results`}
      aria-busy={loading}
    >
      <header class="column-head">
        <h2>{modeText(mode).label}</h2>
        {answer && !error && (
          <span class="soft small">
            {answer.hits.length} {answer.hits.length === 1 ? 'hit' : 'hits'} in {formatTime(answer.tookMs)}
          </span>
        )}
        {loading && <Spinner label={`Searching with ${modeText(mode).label}`} />}
        {answer && !error && answer.hits.length > 0 && <ExportMenu state={state} mode={mode} />}
      </header>
      {error ? (
        <ErrorState error={error} onRetry={onRetry} />
      ) : (
        answer && (
          <>
            {answer.hits.length === 0 && <NothingFound mode={mode} state={state} />}
            <ol class={`hits ${loading ? 'hits-old' : ''}`}>
              {answer.hits.map((hit, nth) => {
                const move = compared?.moves?.get(hit.id);
                return (
                  <HitItem
                    key={hit.id}
                    hit={hit}
                    rank={nth + 1}
                    href={documentPath(hit.id, state)}
                    explanations={explanations}
                    move={move && compared && { move, base: compared.base }}
                    active={active === hit.id}
                    onActive={onActive}
                    onFilter={onFilter}
                    judged={
                      judgments && {
                        grade: judgments.grades.get(hit.id),
                        onJudge: (grade) => judgments.judge(hit.id, grade),
                      }
                    }
                  />
                );
              })}
            </ol>
          </>
        )
      )}
    </section>
  );
}

function NothingFound({ mode, state }: { mode: SearchMode; state: SearchState }) {
  return (
    <EmptyState title="Nothing found">
      {state.filter ? (
        <p>No document that passes the filter matches. Take a condition away.</p>
      ) : mode === 'bm25' ? (
        <p>No document has any of these words. Other words, or a mode that goes by meaning, may find some.</p>
      ) : (
        <p>Try other words.</p>
      )}
    </EmptyState>
  );
}

function formatTime(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
