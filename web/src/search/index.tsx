import './search.css';
import './hits.css';
import { useMemo, useRef } from 'preact/hooks';
import type { SearchMode, ServerInfo } from '../api.js';
import { EmptyState, ErrorState } from '../components/index.js';
import { modeText, whyMissing } from '../modes.js';
import { isStarting, Opening, PreparingBar } from '../preparing/preparing-bar.js';
import { navigate, usePlace, useTitle } from '../router.js';
import { useServerInfo } from '../server-info.js';
import { FilterBar } from './filter-bar.js';
import { addCondition, type Scalar } from './filter-conditions.js';
import { useHitKeys } from './keyboard.js';
import { ModeSwitch } from './mode-switch.js';
import { Results } from './results.js';
import { SearchBox } from './search-box.js';
import { DEFAULT_K, pathOf, presentState, readState, type SearchState } from './search-state.js';
import { useJudgments } from './use-judgments.js';
import { type Outcomes, useSearches } from './use-searches.js';
import { Welcome } from './welcome.js';

export function SearchPage() {
  const info = useServerInfo();
  if (info.data) return <Search info={info.data} />;
  // A server that is still opening what it serves is not in trouble: the page waits with it.
  if (isStarting(info.error) || (info.loading && !info.error)) return <Opening onOpen={info.reload} />;
  return <ErrorState error={info.error!} onRetry={info.reload} />;
}

const CHOICES_OF_K = [5, DEFAULT_K, 20, 50, 100];

function Search({ info }: { info: ServerInfo }) {
  const { params } = usePlace();
  const state = useMemo(() => readState(params), [params]);
  const asked = state.modes.length > 0 ? state.modes : [info.defaultMode];
  const offered = asked.filter((mode) => info.modes.includes(mode));
  const modes = useMemo(() => offered, [offered.join()]);
  const { outcomes, retry } = useSearches(state, modes);
  const page = useRef<HTMLDivElement>(null);
  const typing = useRef(false);
  useTitle(state.query);
  useHitKeys(page);

  // What is in force is asked of the address: a pause in typing may end after something else was chosen.
  const change = (part: Partial<SearchState>) => navigate(pathOf({ ...presentState(), ...part }));
  /** Typing makes one step in the history, however many pauses it has. */
  const search = (query: string, final: boolean) => {
    if (query !== presentState().query) {
      navigate(pathOf({ ...presentState(), query }), { replace: typing.current });
    }
    typing.current = !final;
  };
  const filterBy = (field: string, value: Scalar) =>
    change({ filter: addCondition(presentState().filter, { field, operator: '$eq', value }) });
  const compare = (comparing: boolean) =>
    change({ modes: comparing ? defaultComparison(info, asked) : [info.defaultMode] });

  const judgments = useJudgments(state.query, info);
  return (
    <div ref={page} class="search">
      <h1 class="visually-hidden">Search {info.name}</h1>
      <div class="search-controls">
        <SearchBox query={state.query} onSearch={search} />
        <div class="search-options">
          <ModeSwitch
            offered={info.modes}
            isComing={info.coming}
            selected={asked}
            comparing={asked.length > 1}
            onSelect={(selected) => change({ modes: selected })}
            onCompare={compare}
          />
          <label class="k">
            Hits
            <select value={state.k} onChange={(event) => change({ k: Number(event.currentTarget.value) })}>
              {[...new Set([...CHOICES_OF_K, state.k])]
                .sort((a, b) => a - b)
                .map((k) => (
                  <option key={k} value={k}>
                    {k}
                  </option>
                ))}
            </select>
          </label>
          {(state.byFile || isOfFiles(outcomes)) && (
            <label class="switch">
              <input
                type="checkbox"
                checked={state.byFile}
                onChange={(event) => change({ byFile: event.currentTarget.checked })}
              />
              <span>One hit per file</span>
            </label>
          )}
          <FilterBar filter={state.filter} version={info.version} onChange={(filter) => change({ filter })} />
        </div>
      </div>
      <PreparingBar />
      {judgments?.problem && <ErrorState error={judgments.problem} />}
      <MissingModes info={info} asked={asked} />
      {state.query ? (
        <Results
          state={state}
          modes={modes}
          outcomes={outcomes}
          onFilter={filterBy}
          judgments={judgments}
          onRetry={retry}
        />
      ) : (
        <Welcome info={info} state={state} />
      )}
    </div>
  );
}

/** Whether hits are passages of files. */
function isOfFiles(outcomes: Outcomes): boolean {
  return Object.values(outcomes).some(({ answer }) => answer?.hits.some(({ place }) => place));
}

/** What is there of BM25, dense and hybrid; a cascade is slow, so it waits to be asked for. */
function defaultComparison(info: ServerInfo, asked: readonly SearchMode[]): SearchMode[] {
  return info.modes.filter((mode) => mode !== 'cascade' || asked.includes(mode) || info.modes.length === 2);
}

function MissingModes({ info, asked }: { info: ServerInfo; asked: readonly SearchMode[] }) {
  const missing = asked.filter((mode) => !info.modes.includes(mode));
  return (
    <>
      {missing.map((mode) => (
        <EmptyState
          key={mode}
          title={`${modeText(mode).label} is not offered here${info.coming ? ' yet' : ''}`}
        >
          <p>It {whyMissing(mode, info.coming)}.</p>
        </EmptyState>
      ))}
    </>
  );
}
