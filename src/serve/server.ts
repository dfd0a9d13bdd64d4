import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { NearmissError } from '../base/errors.js';
import { registerAccess } from './access/access.js';
import { isLoopbackHost } from './access/foreign-pages.js';
import type { KeyRing } from './access/key-ring.js';
import { parseOrigin } from './access/origins.js';
import { registerCors, registerSecurityHeaders } from './access/security.js';
import { Admission } from './admission.js';
import { ApiError } from './api-error.js';
import { type AppOptions, createApp } from './app.js';
import { keepWhileAtWork } from './connection/idle-connections.js';
import { listenError } from './connection/listen-errors.js';
import { DEFAULT_LIMITS, type ServeLimits } from './limits.js';
import { ServeMetrics } from './metrics.js';
import { registerOpenApi } from './openapi.js';
import { Preparations } from './preparations.js';
import { registerRoutes } from './routes/index.js';
import { RunCatalog } from './run-catalog.js';
import { type ReloadResult, ServedIndex, type ServedIndexOptions } from './served-index.js';
import { registerWebUi } from './web-ui.js';

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8080;

export interface ServerOptions extends ServedIndexOptions, Omit<AppOptions, 'limits'> {
  /** What it will be bound to: writes without keys are for loopback alone. Default 127.0.0.1. */
  host?: string;
  keys?: KeyRing;
  /** Pages of these origins, or of all with `*`, may use the API. Default none. */
  cors?: readonly string[];
  runs?: RunCatalog;
  /** Told of what is being made; stopped with the server. */
  preparations?: Preparations;
  /** Whether the first version lacks what `open` would make: then it is made while the first one answers. */
  isIncomplete?: () => boolean;
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
  readonly #index: ServedIndex;
  readonly #metrics: ServeMetrics;
  readonly #limits: ServeLimits;
  readonly #host: string;
  readonly #preparations: Preparations;
  readonly #isIncomplete: () => boolean;
  #url: string | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    app: FastifyInstance,
    parts: {
      index: ServedIndex;
      metrics: ServeMetrics;
      limits: ServeLimits;
      host: string;
      preparations: Preparations;
      isIncomplete: () => boolean;
    },
  ) {
    this.#app = app;
    this.#index = parts.index;
    this.#metrics = parts.metrics;
    this.#limits = parts.limits;
    this.#host = parts.host;
    this.#preparations = parts.preparations;
    this.#isIncomplete = parts.isIncomplete;
  }

  /** Makes a server that neither listens nor has opened its index. */
  static async create(options: ServerOptions): Promise<SearchServer> {
    const { host = DEFAULT_HOST, preparations = new Preparations(), isIncomplete = () => false } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const app = createApp({ ...options, limits });
    const index = new ServedIndex({ openWaitMs: limits.waitMs, ...options });
    const admission = new Admission(limits);
    const metrics = new ServeMetrics({ index, admission });
    const server = new SearchServer(app, { index, metrics, limits, host, preparations, isIncomplete });
    const { keys, runs = new RunCatalog() } = options;
    const origins = (options.cors ?? []).map(parseOrigin);
    const loopback = isLoopbackHost(host);
    const readOnly = options.openLive === undefined;
    const auth = keys === undefined ? 'none' : 'required';
    const writable = !readOnly && (loopback || auth === 'required');
    const reload = () => server.reload();

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
    await registerOpenApi(app, auth);
    await registerRoutes(app, {
      ...{ index, admission, limits, metrics, runs, writable, auth, reload, preparations },
    });
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
    return this.#index.version;
  }

  /** Opens the index; what takes long to make takes over later, by itself. */
  async start(): Promise<void> {
    await this.#index.start();
    this.#app.log.info({ version: this.#index.version, documents: this.#index.documents }, 'ready');
    if (this.#isIncomplete()) void this.#complete();
  }

  async #complete(): Promise<void> {
    this.#app.log.info('answering by words while vectors are made; they take over by themselves');
    await this.reload().catch((error: Error) => {
      this.#preparations.failure = error.message;
    });
  }

  /** Looks for a newer index and lets it take over; where that fails, the present one goes on answering. */
  async reload(): Promise<ReloadResult> {
    try {
      const result = await this.#index.reload();
      this.#metrics.countReload(result.changed ? 'changed' : 'unchanged');
      this.#app.log.info(result, 'reloaded');
      return result;
    } catch (error) {
      if (this.#closing !== undefined) throw error;
      this.#metrics.countReload('failed');
      const message = `the newer index could not be opened, ${this.version} goes on answering: ${(error as Error).message}`;
      this.#app.log.error({ err: error }, message);
      throw new ApiError(500, 'reload_failed', message, { hint: (error as NearmissError).hint });
    }
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
    this.#preparations.stop();
    await this.#index.close();
    this.#metrics.close();
  }
}
