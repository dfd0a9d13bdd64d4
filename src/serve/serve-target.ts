import { join, resolve } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { openLiveSearcher } from '../search/live/index.js';
import { type OpenSearcherOptions, openSearcher, type PrepareStep } from '../search/searcher.js';
import { isRun } from '../train/run-setup.js';
import { isLoopbackHost } from './foreign-pages.js';
import { KeyRing } from './key-ring.js';
import { RunCatalog } from './run-catalog.js';
import { SearchServer, type ServerOptions } from './server.js';

export interface ServeTargetOptions
  extends Pick<ServerOptions, 'host' | 'cors' | 'limits' | 'logLevel' | 'log' | 'webFolder'> {
  /** A file of API keys; without one reading is open, and the server must be bound to this machine. */
  keys?: string;
  /** Without keys, be reachable from other machines all the same: whoever reaches the server may read everything. */
  insecure?: boolean;
  /** Documents cannot be changed. */
  readOnly?: boolean;
  /** Where changes to documents are kept. Default: `.nearmiss/live` in the target. */
  state?: string;
  /** A folder of runs to show besides the one served. */
  runs?: string;
  /** What the target by itself does not say. */
  search?: Omit<OpenSearcherOptions, 'inWorkers'>;
}

/**
 * A server for a run, an index or a collection; call `listen` and `start`.
 *
 * @example
 * const server = await serveTarget('runs/medquad', { readOnly: true });
 * await server.listen(8080);
 * await server.start();
 */
export async function serveTarget(target: string, options: ServeTargetOptions = {}): Promise<SearchServer> {
  const { host = '127.0.0.1', keys, insecure, readOnly, search, runs: runsFolder, ...rest } = options;
  if (!(await exists(target))) {
    throw new NearmissError(`${target}: no such run, index or collection`, { hint: 'check the path' });
  }
  if (keys === undefined && !insecure && !isLoopbackHost(host)) {
    throw new NearmissError(`without API keys the server is for this machine alone, not for ${host}`, {
      hint: 'make a key with `nearmiss serve keys add` and pass --keys FILE, or let everybody read with --insecure',
    });
  }
  const state = options.state ?? stateFolder(target);
  const warn = (message: string): void => server.log.warn(message);
  const preparing = { onProgress: logProgress, onNote: warn, ...search };
  const server = await SearchServer.create({
    ...rest,
    host,
    keys: keys === undefined ? undefined : await KeyRing.open(keys, (error) => warn(keyProblem(error))),
    runs: new RunCatalog({ run: (await isRun(target)) ? target : undefined, folder: runsFolder }),
    open: () => openSearcher(target, { ...preparing, inWorkers: true }),
    openLive: readOnly
      ? undefined
      : (base) => openLiveSearcher(base, { state, onProgress: preparing.onProgress, onWarning: warn }),
  });
  return server;

  /** What takes long is said once when it begins and once when it is done. */
  function logProgress(step: PrepareStep): { advance(): void; finish(): void } {
    const start = performance.now();
    server.log.info({ ...step }, 'preparing');
    const finish = (): void => {
      server.log.info(
        { label: step.label, seconds: Math.round(performance.now() - start) / 1000 },
        'prepared',
      );
    };
    return { advance: () => undefined, finish };
  }
}

function stateFolder(target: string): string {
  return join(resolve(target), '.nearmiss', 'live');
}

function keyProblem(error: unknown): string {
  return `the API keys known before stay valid: ${(error as Error).message}`;
}
