import '../search/search.css';
import '../search/hits.css';
import './before-after.css';
import { useMemo, useRef, useState } from 'preact/hooks';
import { api, type SearchAnswer, type ServerInfo } from '../api.js';
import { EmptyState, ErrorState, Spinner } from '../components/index.js';
import { modeText } from '../modes.js';
import { isStarting } from '../preparing/preparing-bar.js';
import { navigate, pathWith, usePlace, useTitle } from '../router.js';
import { HitItem } from '../search/hit-item.js';
import { useHitKeys } from '../search/keyboard.js';
import { RankLines } from '../search/rank-lines.js';
import { type Move, rankMoves } from '../search/rank-moves.js';
import { SearchBox } from '../search/search-box.js';
import { documentPath, readState } from '../search/search-state.js';
import { useServerInfo } from '../server-info.js';
import { runsApi } from '../training/runs-api.js';
import { type Requested, useRequest } from '../use-request.js';

const PAGE = '/before-after';
const K = 10;
/** What has a model in it: only there can a trained one make a difference. */
const MODES = ['dense', 'hybrid'];
/** How often a run that is being opened is asked for again. */
const AGAIN_MS = 2000;

/**
 * One query, answered by what is served and by the model of a run, side by side; where that run is what is served, by what
 * its training began with.
 */
export function BeforeAfterPage() {
  useTitle('Before and after');
  const { params } = usePlace();
  const info = useServerInfo();
  const runs = useRequest('runs', (signal) => runsApi.list({ signal }));
  const trained = (runs.data?.runs ?? []).map(({ name }) => name);
  const run = params.get('run') ?? trained.at(-1);
  const query = params.get('q') ?? '';
  const mode = MODES.find((name) => name === params.get('mode')) ?? MODES[0];
  const change = (part: Record<string, string>) =>
    navigate(pathWith(PAGE, { run, q: query, mode: mode === MODES[0] ? undefined : mode, ...part }), {
      replace: true,
    });
  if (runs.error) return <ErrorState error={runs.error} onRetry={runs.reload} />;
  if (!runs.data || !info.data) return <Spinner label="Reading the runs" />;
  if (run === undefined) {
    return (
      <EmptyState title="Nothing to compare yet" isPage>
        <p>Adapt or train a model on the Training page first.</p>
      </EmptyState>
    );
  }
  return (
    <div class="search">
      <h1 class="before-after-title">Before and after</h1>
      <div class="search-controls">
        <SearchBox query={query} onSearch={(q) => change({ q })} />
        <div class="search-options">
          <label class="k">
            Run
            <select value={run} onChange={(event) => change({ run: event.currentTarget.value })}>
              {[...new Set([...trained, run])].map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label class="k">
            Search with
            <select value={mode} onChange={(event) => change({ mode: event.currentTarget.value })}>
              {MODES.map((name) => (
                <option key={name} value={name}>
                  {modeText(name).label}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
      {query ? (
        <Columns key={run} {...{ query, mode, run }} info={info.data} />
      ) : (
        <p class="before-after-hint soft">
          Ask something: on the left is the answer of {nameOfBefore(info.data, info.data.run === run)}, on the
          right that of <b>{run}</b>.
        </p>
      )}
    </div>
  );
}

interface ColumnsProps {
  query: string;
  mode: string;
  run: string;
  info: ServerInfo;
}

function Columns({ query, mode, run, info }: ColumnsProps) {
  const isServed = info.run === run;
  const asked = { q: query, mode, k: K };
  const served = (signal: AbortSignal) => api.search({ query, mode, k: K }, { signal });
  const key = JSON.stringify([query, mode, run]);
  const before = useOpening(
    key,
    isServed ? (signal) => runsApi.search(run, { ...asked, model: 'start' }, { signal }) : served,
  );
  const after = useOpening(key, isServed ? served : (signal) => runsApi.search(run, asked, { signal }));
  const [active, setActive] = useState<string | undefined>();
  const box = useRef<HTMLDivElement>(null);
  useHitKeys(box);
  const columns = useMemo(
    () => [
      { mode: 'before', hits: before.data?.hits ?? [] },
      { mode: 'after', hits: after.data?.hits ?? [] },
    ],
    [before.data, after.data],
  );
  const moves = useMemo(() => rankMoves(columns), [columns]);
  const shared = { query, mode, active, onActive: setActive };
  return (
    <div class="results results-compared" data-active={active === undefined ? undefined : ''} ref={box}>
      <RankLines within={box} active={active} shown={columns} />
      <Column {...shared} name="Before" about={nameOfBefore(info, isServed)} answer={before} />
      <Column {...shared} name="After" about={run} answer={after} moves={moves.get('after')} />
    </div>
  );
}

/** What is on the left: what is served, or, where that is the run itself, what its training began with. */
function nameOfBefore({ model, name }: ServerInfo, isServed: boolean): string {
  return isServed ? (model?.base ?? 'what training began with') : (model?.label ?? name);
}

interface Opening extends Requested<SearchAnswer> {
  /** The model is being opened: nothing is wrong. */
  isOpening: boolean;
}

/** Asks again as long as what is asked is being opened. */
function useOpening(key: string, search: (signal: AbortSignal) => Promise<SearchAnswer>): Opening {
  const [isOpening, setIsOpening] = useState(false);
  const requested = useRequest(
    key,
    async (signal) => {
      try {
        const answer = await search(signal);
        setIsOpening(false);
        return answer;
      } catch (error) {
        setIsOpening(isStarting(error as Error));
        throw error;
      }
    },
    { everyMs: isOpening ? AGAIN_MS : undefined },
  );
  return { ...requested, isOpening };
}

interface ColumnProps {
  name: string;
  about: string;
  query: string;
  mode: string;
  answer: Opening;
  moves?: Map<string, Move>;
  active: string | undefined;
  onActive: (id: string | undefined) => void;
}

function Column({ name, about, query, mode, answer, moves, active, onActive }: ColumnProps) {
  const { data, error, loading, reload, isOpening } = answer;
  const { params } = usePlace();
  return (
    <section class={`column column-${mode}`} aria-label={`${name}: ${about}`} aria-busy={loading}>
      <header class="column-head">
        <h2>{name}</h2>
        <span class="soft small">{about}</span>
        {loading && <Spinner label={`Searching with ${about}`} />}
      </header>
      {isOpening && <Spinner label={`Opening ${about}; its answers come by themselves`} />}
      {error && !isOpening && <ErrorState error={error} onRetry={reload} />}
      {data && !error && data.hits.length === 0 && (
        <EmptyState title="Nothing found">
          <p>Try other words.</p>
        </EmptyState>
      )}
      {data && !error && (
        <ol class={`hits ${loading ? 'hits-old' : ''}`}>
          {data.hits.map((hit, nth) => {
            const move = moves?.get(hit.id);
            return (
              <HitItem
                key={hit.id}
                hit={hit}
                rank={nth + 1}
                href={documentPath(hit.id, { ...readState(params), query })}
                move={move && { move, base: 'Before' }}
                active={active === hit.id}
                onActive={onActive}
              />
            );
          })}
        </ol>
      )}
    </section>
  );
}
