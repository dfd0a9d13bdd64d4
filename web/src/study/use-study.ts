import { useState } from 'preact/hooks';
import type { Computing } from '../../../src/serve/answers/studies.js';
import { api, type CallOptions } from '../api.js';
import { type Requested, useRequest } from '../use-request.js';

const ASK_EVERY_MS = 700;

/** Fetches what the server may have to compute first, and tells how far it is meanwhile. */
export function useStudy<T extends { state: 'ready' }>(
  path: string | undefined,
  query: CallOptions['query'],
): Requested<T> & { progress: Computing | undefined } {
  const [progress, setProgress] = useState<Computing | undefined>();
  const key = path === undefined ? undefined : JSON.stringify([path, query]);
  const requested = useRequest(key, async (signal) => {
    try {
      for (;;) {
        const answer = await api.get<T | Computing>(path!, { signal, query });
        if (answer.state === 'ready') return answer as T;
        setProgress(answer as Computing);
        await pause(ASK_EVERY_MS, signal);
      }
    } finally {
      if (!signal.aborted) setProgress(undefined);
    }
  });
  return { ...requested, progress: requested.loading ? progress : undefined };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('aborted', 'AbortError'));
    });
  });
}
