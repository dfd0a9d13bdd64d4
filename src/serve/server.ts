import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { NearmissError } from '../base/errors.js';
import { registerAccess } from './access/access.js';
import { isLoopbackHost } from './access/foreign-pages.js';
import type { KeyRing } from './access/key-ring.js';
import { parseOrigin } from './access/origins.js';
import { registerCors, registerSecurityHeaders } from './access/security.js';
import { Admission } from './admission.js';
import { type AppOptions, createApp } from './app.js';
import { FieldDesk } from './collections/field-desk.js';
import { type CollectionOptions, ServedCollection } from './collections/served-collection.js';
import type { ReloadResult } from './collections/served-index.js';
import { keepWhileAtWork } from './connection/idle-connections.js';
import { listenError } from './connection/listen-errors.js';
import type { ServeContext } from './context.js';
import { registerDocumentation } from './documentation/register-documentation.js';
import { DEFAULT_LIMITS, type ServeLimits } from './limits.js';
import { ServeMetrics } from './metrics.js';
import { registerRoutes } from './routes/index.js';
import { registerWebUi } from './web-ui.js';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;

export interface ServerOptions extends CollectionOptions, Omit<AppOptions, 'limits'> {
  /** What it will be bound to: writes without keys are for loopback alone. Default 127.0.0.1. */
  host?: string;
  keys?: KeyRing;
  /** Pages of these origins, or of all with `*`, may use the API. Default none. */
  cors?: readonly string[];
  /** Served besides, below `/collections/NAME`. */
  others?: readonly (CollectionOptions & { name: string })[];
  limits?: Partial<ServeLimits>;
  /** The built web UI. Default: the package's own. */
  webFolder?: string;
}

/**
 * Answers over HTTP what a searcher knows. It listens at once; requests that come before the index is open wait for it.
 *
 * @example
 * const server = await SearchServer.create({ open: () => openSearcher('runs/medquad', { inWorkers: true }) });
 * console.log(await server.listen(0)); // http://127.0.0.1:… on a free port
 * await server.start();
 * await server.close();
 */
export class SearchServer {
  readonly #app: FastifyInstance;
  readonly #collections: readonly ServedCollection[];
  readonly #metrics: ServeMetrics;
  readonly #limits: ServeLimits;
  readonly #host: string;
  #url: string | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    app: FastifyInstance,
    parts: {
      collections: readonly ServedCollection[];
      metrics: ServeMetrics;
      limits: ServeLimits;
      host: string;
    },
  ) {
    this.#app = app;
    this.#collections = parts.collections;
    this.#metrics = parts.metrics;
    this.#limits = parts.limits;
    this.#host = parts.host;
  }

  /** Makes a server that neither listens nor has opened its index. */
  static async create(options: ServerOptions): Promise<SearchServer> {
    const { host = DEFAULT_HOST } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const app = createApp({ ...options, limits });
    const admission = new Admission(limits);
    const metrics = new ServeMetrics({ admission });
    const parts = { openWaitMs: limits.waitMs, metrics, log: app.log };
    const collections = [
      new ServedCollection(options, { ...parts, path: '' }),
      ...(options.others ?? []).map(
        (other) => new ServedCollection(other, { ...parts, path: `/collections/${other.name}` }),
      ),
    ];
    const server = new SearchServer(app, { collections, metrics, limits, host });
    const { keys } = options;
    const origins = (options.cors ?? []).map(parseOrigin);
    const loopback = isLoopbackHost(host);
    const readOnly = options.openLive === undefined;
    const auth = keys === undefined ? 'none' : 'required';
    const writable = !readOnly && (loopback || auth === 'required');
    const shared = { collections, admission, limits, metrics, writable, auth } as const;

    metrics.observeRequests(app);
    keepWhileAtWork(app, limits.idleMs);
    // A connection kept for a next request would keep a stopping server waiting.
    app.addHook('onSend', async (_, reply) => {
      if (server.#closing !== undefined) reply.header('connection', 'close');
    });
    // In this order: refusals have the headers, too, and a browser's question about CORS comes without a key.
    await registerSecurityHeaders(app);
    await registerCors(app, origins);
    registerAccess(app, { keys, loopback, readOnly, origins });
    registerDocumentation(app, auth);
    for (const collection of collections) {
      const context = { ...shared, collection, index: collection.index, fields: new FieldDesk() };
      if (collection.path === '') await registerRoutes(app, context);
      else await app.register((scope) => registerBelow(scope, context), { prefix: collection.path });
    }
    await registerWebUi(app, options.webFolder);
    return server;
  }

  /**
   * Listens, and gives the address.
   *
   * @param port 0 takes any free one
   */
  async listen(port = DEFAULT_PORT): Promise<string> {
    const host = this.#host;
    try {
      await this.#app.listen({ host, port, listenTextResolver: (address) => `listening on ${address}` });
    } catch (error) {
      throw listenError(error, { host, port });
    }
    const { address, port: taken, family } = this.#app.server.address() as AddressInfo;
    this.#url = `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
    return this.#url;
  }

  /** Where it listens. */
  get url(): string {
    if (this.#url === undefined) throw new NearmissError('the server does not listen yet');
    return this.#url;
  }

  /** The version of the index that answers; `undefined` before there is one. */
  get version(): string | undefined {
    return this.#first.version;
  }

  get #first(): ServedCollection['index'] {
    return this.#collections[0].index;
  }

  /** Opens the index; others that are served besides are opened when they are asked for. */
  async start(): Promise<void> {
    await this.#first.start();
    this.#app.log.info({ version: this.#first.version, documents: this.#first.documents }, 'ready');
  }

  /**
   * Looks for a newer index and lets it take over; where that fails, the present one goes on answering. Of several
   * those are looked at that are open; what is told is of the first.
   */
  async reload(): Promise<ReloadResult> {
    const open = this.#collections.filter(({ index }, nth) => nth === 0 || index.version !== undefined);
    const [first, ...others] = open.map((collection) => collection.reload());
    await Promise.allSettled(others);
    return first;
  }

  /** The log on stderr. */
  get log(): FastifyBaseLogger {
    return this.#app.log;
  }

  /** Stops listening, lets requests finish within the grace period, and closes the index. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const overdue = setTimeout(() => this.#app.server.closeAllConnections(), this.#limits.graceMs);
    await this.#app.close();
    clearTimeout(overdue);
    await Promise.all(this.#collections.map((collection) => collection.close()));
    this.#metrics.close();
  }
}

/** The same routes for another collection: described once, so they are not described again. */
async function registerBelow(scope: FastifyInstance, context: ServeContext): Promise<void> {
  scope.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
  await registerRoutes(scope, context);
}
