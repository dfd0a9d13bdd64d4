import { useEffect, useState } from 'preact/hooks';
import { isAbort } from './api.js';
import { apiKey } from './api-key.js';
import { useStore } from './store.js';

export interface Requested<T> {
  /** The newest answer; stays while a newer one is fetched, so that the page does not jump. */
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
}

export interface RequestOptions {
  /** Asks again this many milliseconds after each answer, while the page is visible. */
  everyMs?: number;
}

/**
 * Fetches what a component shows. A change of `key` (or of the API key) cancels the request under way and starts a new
 * one; without a key nothing is fetched.
 *
 * @example
 * const runs = useRequest('runs', (signal) => api.get<RunList>('/v1/runs', { signal }), { everyMs: 2000 });
 */
export function useRequest<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  options: RequestOptions = {},
): Requested<T> {
  const { everyMs } = options;
  const secret = useStore(apiKey);
  const [round, setRound] = useState(0);
  const [answer, setAnswer] = useState<{ key?: string; data?: T; error?: Error; loading: boolean }>({
    loading: key !== undefined,
  });

  useEffect(() => {
    if (key === undefined) {
      setAnswer({ loading: false });
      return undefined;
    }
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      if (everyMs === undefined || abort.signal.aborted) return;
      timer = setTimeout(() => (document.hidden ? again() : fetchOnce()), everyMs);
    };
    const fetchOnce = () =>
      load(abort.signal)
        .then((data) => {
          if (!abort.signal.aborted) setAnswer({ key, data, loading: false });
        })
        .catch((error: Error) => {
          if (abort.signal.aborted || isAbort(error)) return;
          setAnswer((old) => ({ key, data: old.key === key ? old.data : undefined, error, loading: false }));
        })
        .finally(again);
    setAnswer((old) => ({ ...old, error: undefined, loading: true }));
    void fetchOnce();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [key, secret, round, everyMs]);

  const { data, error, loading } = answer;
  return { data, error, loading, reload: () => setRound((n) => n + 1) };
}
