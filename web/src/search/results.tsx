import { useMemo, useRef, useState } from 'preact/hooks';
import type { SearchMode } from '../api.js';
import { modeText } from '../modes.js';
import type { Scalar } from './filter-conditions.js';
import { RankLines } from './rank-lines.js';
import { rankMoves } from './rank-moves.js';
import { ResultColumn } from './result-column.js';
import type { SearchState } from './search-state.js';
import type { Judgments } from './use-judgments.js';
import type { Outcomes } from './use-searches.js';

export interface ResultsProps {
  state: SearchState;
  modes: readonly SearchMode[];
  outcomes: Outcomes;
  onFilter: (field: string, value: Scalar) => void;
  judgments: Judgments | undefined;
  onRetry: () => void;
}

/** One list, or several side by side in which the same document is marked everywhere at once. */
export function Results({ state, modes, outcomes, onFilter, judgments, onRetry }: ResultsProps) {
  const [active, setActive] = useState<string | undefined>();
  const box = useRef<HTMLDivElement>(null);
  const columns = useMemo(
    () => modes.map((mode) => ({ mode, hits: outcomes[mode]?.answer?.hits ?? [] })),
    [modes, outcomes],
  );
  const moves = useMemo(() => rankMoves(columns), [columns]);
  const comparing = modes.length > 1;
  return (
    <div
      class={comparing ? 'results results-compared' : 'results'}
      data-active={active === undefined ? undefined : ''}
      ref={box}
    >
      {comparing && <RankLines within={box} active={active} shown={columns} />}
      {modes.map((mode) => (
        <ResultColumn
          key={mode}
          mode={mode}
          state={state}
          outcome={outcomes[mode] ?? { loading: true }}
          compared={comparing ? { moves: moves.get(mode), base: modeText(modes[0]).label } : undefined}
          active={active}
          onActive={setActive}
          onFilter={onFilter}
          judgments={judgments}
          onRetry={onRetry}
        />
      ))}
      <p class="visually-hidden" aria-live="polite">
        {announce(modes, outcomes)}
      </p>
    </div>
  );
}

function announce(modes: readonly SearchMode[], outcomes: Outcomes): string {
  const settled = modes.every((mode) => outcomes[mode] && !outcomes[mode].loading);
  if (!settled) return '';
  return modes
    .map((mode) => `${modeText(mode).label}: ${outcomes[mode]?.answer?.hits.length ?? 'no'} hits`)
    .join(', ');
}
