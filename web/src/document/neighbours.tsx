import '../search/hits.css';
import { useRef } from 'preact/hooks';
import { api } from '../api.js';
import { ErrorState, Spinner } from '../components/index.js';
import { HitItem } from '../search/hit-item.js';
import { useHitKeys } from '../search/keyboard.js';
import { documentPath, type SearchState } from '../search/search-state.js';
import { useServerInfo } from '../server-info.js';
import { useRequest } from '../use-request.js';

const NEIGHBOURS = 10;

/** The documents whose vectors are nearest, where the server has vectors. */
export function Neighbours({ id, state }: { id: string; state: SearchState }) {
  const info = useServerInfo().data;
  const dense = info?.modes.includes('dense');
  const near = useRequest(dense ? id : undefined, (signal) => api.neighbours(id, NEIGHBOURS, { signal }));
  const list = useRef<HTMLElement>(null);
  useHitKeys(list);
  return (
    <aside ref={list} aria-labelledby="neighbours-title">
      <h2 id="neighbours-title">Nearest neighbours</h2>
      {dense === false && (
        <p class="soft small">
          {info?.coming
            ? 'The nearest documents show as soon as the vectors are made.'
            : 'This server was started to search by words alone: without vectors nothing is near.'}
        </p>
      )}
      {near.loading && <Spinner label="Looking for neighbours" />}
      {near.error && <ErrorState error={near.error} onRetry={near.reload} />}
      {near.data && (
        <ol class="hits">
          {near.data.hits.map((hit, nth) => (
            <HitItem key={hit.id} hit={hit} rank={nth + 1} href={documentPath(hit.id, state)} />
          ))}
        </ol>
      )}
    </aside>
  );
}
