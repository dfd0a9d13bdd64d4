import { useState } from 'preact/hooks';
import { Button, ErrorState, Spinner } from '../components/index.js';
import { useRequest } from '../use-request.js';
import { findQueries } from './space-api.js';

export interface QueryPickerProps {
  run: string;
  /** The query that is shown. */
  current: string | undefined;
  onPick: (id: string) => void;
}

/** Finds a query of any split by its words. */
export function QueryPicker({ run, current, onPick }: QueryPickerProps) {
  const [split, setSplit] = useState<string | undefined>();
  const [text, setText] = useState('');
  const found = useRequest(JSON.stringify([run, split, text]), (signal) =>
    findQueries(run, { split, text: text || undefined }, { signal }),
  );
  return (
    <section class="panel query-picker" aria-label="Choose a query">
      <div class="study-controls">
        <label class="field">
          Find a query
          <input
            type="search"
            value={text}
            placeholder="words or id"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        {found.data && (
          <label class="field">
            Split
            <select value={found.data.split} onChange={(event) => setSplit(event.currentTarget.value)}>
              {found.data.splits.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {found.loading && <Spinner label="Looking for queries" />}
      </div>
      {found.error && <ErrorState error={found.error} onRetry={found.reload} />}
      <ul class="query-list">
        {found.data?.queries.map(({ id, text: words }) => (
          <li key={id}>
            <Button kind="quiet" aria-pressed={id === current} onClick={() => onPick(id)}>
              {words}
            </Button>
          </li>
        ))}
      </ul>
      {found.data?.queries.length === 0 && <p class="soft small">No query of this split has these words.</p>}
      {found.data?.more && <p class="soft small">There are more: type some words of the one you want.</p>}
    </section>
  );
}
