import { once } from 'node:events';
import type { SearchServer } from '../../../serve/server.js';
import { type WatchOptions, watchTarget } from '../../../serve/watch.js';

export interface RunOptions {
  port: number;
  /** What to look at for something newer, and how. */
  watch: readonly (Pick<WatchOptions, 'seen' | 'everyMs' | 'search'> & { target: string })[];
}

/** Listens, opens the index, and goes on until a signal ends it. */
export async function runUntilStopped(server: SearchServer, options: RunOptions): Promise<void> {
  const { port, watch } = options;
  const stop = new AbortController();
  const stopped = once(stop.signal, 'abort');
  const onStop = (signal: NodeJS.Signals): void => {
    // A second signal does not wait any longer.
    if (stop.signal.aborted) process.exit(1);
    server.log.info({ signal }, 'stopping');
    stop.abort();
  };
  const onReload = (): void => {
    server.reload().catch(() => undefined);
  };
  process.on('SIGTERM', onStop).on('SIGINT', onStop).on('SIGHUP', onReload);
  let failed = false;
  try {
    await server.listen(port);
    await Promise.race([server.start(), stopped]);
    if (!stop.signal.aborted) {
      for (const { target, ...how } of watch) {
        watchTarget(target, { ...how, onChange: () => server.reload(), signal: stop.signal });
      }
    }
    await stopped;
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    process.off('SIGTERM', onStop).off('SIGINT', onStop).off('SIGHUP', onReload);
    const opening = server.version === undefined;
    stop.abort();
    await server.close();
    // Nothing half-made is left behind by whatever was being prepared.
    if (opening && !failed) process.exit(0);
  }
}
