import type { SearchMode } from '../api.js';
import { modeNames } from '../modes.js';
import { pathWith } from '../router.js';

/** What is searched for, and how: all of it stands in the address, so that a link shows the same. */
export interface SearchState {
  query: string;
  /** Several are shown side by side; none means the server's default. */
  modes: SearchMode[];
  k: number;
  /** As the API takes it, still JSON: what does not parse is the server's to refuse. */
  filter: string;
  /** One hit for each file of a folder. */
  byFile: boolean;
}

export const DEFAULT_K = 10;
const MAX_K = 100;

export function readState(params: URLSearchParams): SearchState {
  const k = Number(params.get('k') ?? DEFAULT_K);
  const asked = (params.get('modes') ?? '').split(',').filter((mode) => mode !== '');
  return {
    query: params.get('q') ?? '',
    modes: modeNames(asked).filter((mode) => asked.includes(mode)),
    k: Number.isInteger(k) && k >= 1 && k <= MAX_K ? k : DEFAULT_K,
    filter: params.get('filter') ?? '',
    byFile: params.get('group') === 'file',
  };
}

/** What the address says now, which may be newer than what is drawn. */
export function presentState(): SearchState {
  return readState(new URLSearchParams(location.search));
}

/** The address of a search; `path` may be another page that keeps the search to go back to. */
export function pathOf(state: SearchState, path = '/'): string {
  return pathWith(path, {
    q: state.query,
    modes: state.modes.join(','),
    k: state.k === DEFAULT_K ? undefined : String(state.k),
    filter: state.filter,
    group: state.byFile ? 'file' : undefined,
  });
}

/** The address of a document, reached from a search. */
export function documentPath(id: string, state: SearchState): string {
  return pathOf(state, `/document/${encodeURIComponent(id)}`);
}
