import { join, resolve } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { besideFolder } from '../base/folders/cache-folder.js';
import { isRun } from '../run/run-description.js';
import { beginSearcher } from '../search/open/open-searcher.js';
import type { OpenSearcherOptions, PrepareStep } from '../search/searcher.js';
import { isLoopbackHost } from './access/foreign-pages.js';
import { KeyRing } from './access/key-ring.js';
import { checkPlace } from './connection/listen-errors.js';
import { EarlyLog } from './log/early-log.js';
import { Preparations } from './preparations.js';
import { RunCatalog } from './run-catalog.js';
import type { SearchServer, ServerOptions } from './server.js';

export interface ServeTargetOptions
  extends Pick<ServerOptions, 'host' | 'cors' | 'limits' | 'logLevel' | 'log' | 'webFolder'> {
  /** Where it will listen: asked before anything is opened, so that a port that is taken is told at once. */
  port?: number;
  /** A file of API keys; without one reading is open, and the server must be bound to this machine. */
  keys?: string;
  /** Whether the file was found rather than named, which is worth a line in the log. */
  keysFound?: boolean;
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
 * A server for a run, an index or a collection, which is being opened meanwhile; call `listen` and `start`. A
 * collection that has to be encoded first is searched by its words until that is done, unless `search.modes` says what
 * is wanted.
 *
 * @example
 * const server = await serveTarget('runs/medquad', { readOnly: true });
 * await server.listen(0); // a free port
 * await server.start();
 * await server.close();
 */
export async function serveTarget(target: string, options: ServeTargetOptions = {}): Promise<SearchServer> {
  const { host = '127.0.0.1', port, keys, keysFound, insecure, readOnly, search, ...others } = options;
  const { runs: runsFolder, ...rest } = others;
  if (!(await exists(target))) {
    throw new NearmissError(`${target}: no such run, index or collection`, { hint: 'check the path' });
  }
  if (keys === undefined && !insecure && !isLoopbackHost(host)) {
    throw new NearmissError(`without API keys the server is for this machine alone, not for ${host}`, {
      hint: 'make a key with `nearmiss serve keys add` and pass --keys FILE, or let everybody read with --insecure',
    });
  }
  if (port !== undefined) await checkPlace({ host, port });
  const log = new EarlyLog();
  const warn = (message: string): void => log.warn(message);
  const keyRing =
    keys === undefined ? undefined : await KeyRing.open(keys, (error) => warn(keyProblem(error)));
  if (keysFound) warn(`${keys} lies here, so every request needs a key of it; --keys FILE names another`);
  const state = options.state ?? join(await besideFolder(resolve(target)), 'live');
  const preparations = new Preparations();
  const { signal } = preparations;
  const watch = search?.onProgress ?? ((step: PrepareStep) => log.progress(step));
  const onProgress = (step: PrepareStep) => preparations.watch(step, watch(step));
  const begin = (first: Pick<OpenSearcherOptions, 'mayEncode'> = {}) =>
    beginSearcher(target, { onNote: warn, ...search, ...first, onProgress, signal, inWorkers: true });
  let isIncomplete = false;
  const later = (): boolean => {
    isIncomplete = true;
    return false;
  };
  // The workers start before the HTTP framework is imported: each takes a good part of a second.
  const { opening } = await begin(search?.modes === undefined ? { mayEncode: later } : {});
  try {
    const { SearchServer } = await import('./server.js');
    const server = await SearchServer.create({
      ...rest,
      ...{ host, opening, preparations },
      isIncomplete: () => isIncomplete,
      open: async () => (await begin()).opening,
      keys: keyRing,
      runs: new RunCatalog({
        run: (await isRun(target)) ? target : undefined,
        folder: runsFolder,
        collection: resolve(search?.data ?? target),
        data: search?.data,
      }),
      openLive: readOnly
        ? undefined
        : async (base) => {
            const { openLiveSearcher } = await import('../search/live/index.js');
            return openLiveSearcher(base, { state, onProgress, onWarning: warn });
          },
    });
    log.flushTo(server.log);
    return server;
  } catch (error) {
    await opening.then(
      (searcher) => searcher.close(),
      () => undefined,
    );
    throw error;
  }
}

function keyProblem(error: unknown): string {
  return `the API keys known before stay valid: ${(error as Error).message}`;
}
