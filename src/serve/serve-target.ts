import { join } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { isEngineAddress } from '../index/engines/is-address.js';
import type { OpenSearcherOptions } from '../search/searcher.js';
import { isLoopbackHost } from './access/foreign-pages.js';
import { KeyRing } from './access/key-ring.js';
import { collectionsIn, namesOf } from './collections/several-targets.js';
import { targetCollection } from './collections/target-collection.js';
import { checkPlace } from './connection/listen-errors.js';
import { EarlyLog } from './log/early-log.js';
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
 * is wanted. Of several, or of a folder of them, the first is served at `/`, the others below `/collections/NAME`, and
 * opened when they are asked for.
 *
 * @example
 * const server = await serveTarget('runs/medquad', { readOnly: true });
 * await server.listen(0); // a free port
 * await server.start();
 * await server.close();
 */
export async function serveTarget(
  target: string | readonly string[],
  options: ServeTargetOptions = {},
): Promise<SearchServer> {
  const { host = '127.0.0.1', port, keys, keysFound, insecure, readOnly, ...others } = options;
  const { state, search, runs, ...rest } = others;
  const targets = await targetsOf(target);
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
  const names = namesOf(targets);
  const several = targets.length > 1;
  const [first, ...besides] = await Promise.all(
    targets.map((path, nth) =>
      targetCollection(path, {
        ...{ name: names[nth], lazy: nth > 0, readOnly, runs, search, log },
        state: state !== undefined && several ? join(state, names[nth]) : state,
      }),
    ),
  );
  // The workers start before the HTTP framework is imported: each takes a good part of a second.
  const { opening, found } = await first.begin();
  try {
    const { SearchServer } = await import('./server.js');
    const server = await SearchServer.create({
      ...{ ...rest, ...first },
      ...{ host, opening, others: besides },
      keys: keyRing,
    });
    log.flushTo(server.log);
    // Nobody is told an address where there is nothing to search.
    await found.catch(async (error) => {
      await server.close();
      throw error;
    });
    return server;
  } catch (error) {
    await opening.then(
      (searcher) => searcher.close(),
      () => undefined,
    );
    throw error;
  }
}

/** The targets that are meant, each of which there must be. */
async function targetsOf(target: string | readonly string[]): Promise<string[]> {
  const named = typeof target === 'string' ? [target] : [...target];
  for (const path of named) {
    if (isEngineAddress(path) || (await exists(path))) continue;
    throw new NearmissError(`${path}: no such run, index or collection`, { hint: 'check the path' });
  }
  if (named.length !== 1 || isEngineAddress(named[0])) return named;
  return (await collectionsIn(named[0])) ?? named;
}

function keyProblem(error: unknown): string {
  return `the API keys known before stay valid: ${(error as Error).message}`;
}
