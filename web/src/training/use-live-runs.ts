import { useEffect, useState } from 'preact/hooks';
import { isAbort } from '../api.js';
import { apiKey } from '../api-key.js';
import { useStore } from '../store.js';
import { poll, type Round } from './poll.js';
import { type RunCurves, type RunDetails, runsApi } from './runs-api.js';

/** A run as far as it is known. */
export interface LiveRun {
  name: string;
  details?: RunDetails;
  curves?: RunCurves;
  error?: Error;
}

/**
 * Follows the chosen runs as long as the page shows them.
 *
 * @param isTraining a training is going on: also a run that is not at work yet may be at any moment
 */
export function useLiveRuns(names: readonly string[], isTraining: boolean): LiveRun[] {
  const key = useStore(apiKey);
  const [known, setKnown] = useState<Record<string, LiveRun>>({});
  const list = JSON.stringify(names);

  useEffect(() => {
    const change = (name: string, part: Partial<LiveRun>) =>
      setKnown((old) => ({ ...old, [name]: { ...old[name], ...part, name } }));
    const ends = names.map((name) => follow(name, isTraining, (part) => change(name, part)));
    return () => {
      for (const end of ends) end();
    };
  }, [list, key, isTraining]);

  return names.map((name) => known[name] ?? { name });
}

function follow(name: string, isTraining: boolean, change: (part: Partial<LiveRun>) => void): () => void {
  let version: string | undefined;
  return poll(async (signal): Promise<Round> => {
    try {
      const [details, curves] = await Promise.all([
        runsApi.details(name, { signal }),
        runsApi.curves(name, { signal }),
      ]);
      const isNew = curves.version !== version;
      version = curves.version;
      // The same object as before for the same curves: charts are drawn again only when there is something new.
      change({ details, ...(isNew && { curves }), error: undefined });
      return { outcome: isNew ? 'new' : 'same', live: isTraining || details.state === 'running' };
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) change({ error: error as Error });
      return { outcome: 'failed', live: false };
    }
  });
}
