import { useEffect, useState } from 'preact/hooks';
import { api, isAbort, type SearchAnswer, type SearchMode, type SearchRequest } from '../api.js';
import { apiKey } from '../api-key.js';
import { useStore } from '../store.js';
import type { SearchState } from './search-state.js';

export interface Outcome {
  /** The newest answer; stays while the next one is on its way. */
  answer?: SearchAnswer;
  /** What was asked for that answer. */
  request?: SearchRequest;
  error?: Error;
  loading: boolean;
}

export type Outcomes = Record<SearchMode, Outcome>;

/** Searches in every mode at once; each answers when it can. A new search cancels those under way. */
export function useSearches(
  state: SearchState,
  modes: readonly SearchMode[],
): { outcomes: Outcomes; retry: () => void } {
  const secret = useStore(apiKey);
  const [round, setRound] = useState(0);
  const [outcomes, setOutcomes] = useState<Outcomes>({});
  const { query, k, filter, byFile } = state;
  const asked = modes.join(',');

  useEffect(() => {
    if (!query.trim() || modes.length === 0) {
      setOutcomes({});
      return undefined;
    }
    const abort = new AbortController();
    const settle = (mode: SearchMode, outcome: Outcome) => {
      if (!abort.signal.aborted) setOutcomes((old) => ({ ...old, [mode]: outcome }));
    };
    const run = async (mode: SearchMode) => {
      try {
        const request: SearchRequest = {
          query,
          mode,
          k,
          filter: filter ? JSON.parse(filter) : undefined,
          groupBy: byFile ? 'file' : undefined,
        };
        const answer = await api.search(request, { signal: abort.signal });
        settle(mode, { answer, request, loading: false });
      } catch (error) {
        if (!isAbort(error)) settle(mode, { error: error as Error, loading: false });
      }
    };
    setOutcomes((old) =>
      Object.fromEntries(modes.map((mode) => [mode, { ...old[mode], error: undefined, loading: true }])),
    );
    for (const mode of modes) void run(mode);
    return () => abort.abort();
  }, [query, k, filter, byFile, asked, secret, round]);

  return { outcomes, retry: () => setRound(round + 1) };
}
