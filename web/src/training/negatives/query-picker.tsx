import { useEffect, useState } from 'preact/hooks';
import { Button, ErrorState, Spinner } from '../../components/index.js';
import { useRequest } from '../../use-request.js';
import { runsApi } from '../runs-api.js';

const PAGE = 20;
const MOST = 200;
/** Somebody who types faster than this is not done yet. */
const PAUSE_MS = 200;

export interface QueryPickerProps {
  run: string;
  selected?: string;
  onSelect: (id: string) => void;
}

/** The run's training queries, found by words of their text or id. */
export function QueryPicker({ run, selected, onSelect }: QueryPickerProps) {
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(PAGE);
  useEffect(() => {
    const timer = setTimeout(() => {
      setText(typed);
      setLimit(PAGE);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useRequest(JSON.stringify([run, text, limit]), (signal) =>
    runsApi.queries(run, { text: text || undefined, limit }, { signal }),
  );
  return (
    <section class="query-picker" aria-label="Training queries">
      <label class="field">
        Training queries
        <input
          type="search"
          placeholder="Words or an id"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      {found.error && <ErrorState error={found.error} onRetry={found.reload} />}
      {!found.data && found.loading && <Spinner label="Reading the queries" />}
      {found.data && !found.error && (
        <>
          <p class="soft small" role="status">
            {countInWords(found.data.queries.length, found.data.more)}
          </p>
          <ul>
            {found.data.queries.map(({ id, text: words }) => (
              <li key={id}>
                <button type="button" aria-pressed={id === selected} onClick={() => onSelect(id)}>
                  {words}
                  <span class="soft small mono">{id}</span>
                </button>
              </li>
            ))}
          </ul>
          {found.data.more && limit < MOST && (
            <Button kind="quiet" onClick={() => setLimit(Math.min(MOST, limit + 2 * PAGE))}>
              More
            </Button>
          )}
        </>
      )}
    </section>
  );
}

function countInWords(count: number, more: boolean): string {
  if (count === 0) return 'No training query has these words.';
  if (more) return `The first ${count}; add words to find others.`;
  return count === 1 ? 'One query' : `${count} queries`;
}
