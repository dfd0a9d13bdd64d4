import { useState } from 'preact/hooks';
import { EmptyState, ErrorState, Spinner } from '../../components/index.js';
import { useRequest } from '../../use-request.js';
import { Choice } from '../chart-controls.js';
import type { PageState } from '../page-state.js';
import { type RunDetails, runsApi } from '../runs-api.js';
import { MinedList } from './mined-list.js';
import { QueryPicker } from './query-picker.js';

const PAGE = 25;

export interface NegativesPartProps {
  run: RunDetails;
  state: PageState;
  onChange: (part: Partial<PageState>) => void;
}

/** What a training query's negatives were mined from: pick a query, see its candidates and where they come from. */
export function NegativesPart({ run, state, onChange }: NegativesPartProps) {
  return (
    <div class="negatives">
      <QueryPicker
        key={run.name}
        run={run.name}
        selected={state.query}
        onSelect={(query) => onChange({ query })}
      />
      {state.query === undefined ? (
        <EmptyState title="Choose a training query">
          <p>Its mined negatives, with rank, score and origin, are shown here.</p>
        </EmptyState>
      ) : (
        <Mined
          key={`${state.query} ${state.table}`}
          run={run}
          query={state.query}
          table={state.table}
          onTable={(table) => onChange({ table })}
        />
      )}
    </div>
  );
}

interface MinedProps {
  run: RunDetails;
  query: string;
  table?: string;
  onTable: (table: string) => void;
}

function Mined({ run, query, table, onTable }: MinedProps) {
  const [limit, setLimit] = useState(PAGE);
  const newest = run.checkpoints.findLast(({ mined }) => mined)?.step;
  // A newer table is what "the newest" means from then on.
  const key = JSON.stringify([run.name, query, table, limit, table === undefined && newest]);
  const mined = useRequest(key, (signal) => runsApi.negatives(run.name, { query, table, limit }, { signal }));
  if (mined.error) return <ErrorState error={mined.error} onRetry={mined.reload} />;
  if (!mined.data) return <Spinner label="Reading the negatives" />;
  return (
    <section class="stack" aria-label="Mined negatives">
      <div class="chart-controls">
        <Choice
          label="Version"
          values={mined.data.tables.map(({ name }) => name)}
          value={mined.data.provenance.name}
          onChoose={onTable}
        />
        {mined.loading && <Spinner label="Reading more" />}
      </div>
      <MinedList run={run.name} mined={mined.data} onMore={() => setLimit(Math.min(200, limit + 2 * PAGE))} />
    </section>
  );
}
