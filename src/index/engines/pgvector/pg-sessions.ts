import type { Pool, PoolClient } from 'pg';
import { optionalPackages } from '../../../base/optional-package.js';
import { Machines } from '../machines.js';
import { mayPass, refusal } from './pg-errors.js';

export interface PgSessionsOptions {
  /** In the order in which they are tried. */
  hosts: readonly string[];
  database: string;
  user?: string;
  secure: boolean;
  /** Connections at once. */
  pool: number;
  /** Time for a transaction with all its tries, where it names none. */
  totalMs?: number;
}

export interface WorkOptions {
  /** Whether it changes something. */
  writes?: boolean;
  /** Settings of this transaction. */
  settings?: Readonly<Record<string, number | string>>;
  /** Time for one try; 0 for no limit. */
  tryMs?: number;
  totalMs?: number;
  signal?: AbortSignal;
  /** Told what the server remarks on the way. */
  onNotice?: (message: string) => void;
}

/** A transaction's own connection. */
export type PgClient = Pick<PoolClient, 'query'>;

const DEFAULT_PORT = 5432;
const [TRY_MS, TOTAL_MS] = [20_000, 60_000];
const CONNECT_MS = 5000;
/** The server ends a query that takes too long; one that does not answer even then is given up. */
const GRACE_MS = 2000;
/** What a setting may be: no parameters can be given with it. */
const SETTING = /^[\w.]+$/;

/** Transactions with time limits on one of several PostgreSQL servers, repeated where that may help. */
export class PgSessions {
  /** Connections that a caller may use at once. */
  readonly pool: number;
  readonly #hosts: readonly string[];
  readonly #pools: readonly Pool[];
  readonly #machines: Machines;
  readonly #totalMs: number;

  private constructor(pools: readonly Pool[], { hosts, pool, totalMs = TOTAL_MS }: PgSessionsOptions) {
    this.pool = pool;
    this.#totalMs = totalMs;
    this.#hosts = hosts;
    this.#pools = pools;
    this.#machines = new Machines('PostgreSQL', hosts);
  }

  static async open(options: PgSessionsOptions): Promise<PgSessions> {
    const { default: pg } = await optionalPackages('postgres://…', ['pg'], () => import('pg'));
    const pools = options.hosts.map((host) => {
      const [, name, port] = /^(.*?)(?::(\d+))?$/.exec(host)!;
      const pool = new pg.Pool({
        host: name.replace(/^\[|\]$/g, ''),
        port: port === undefined ? DEFAULT_PORT : Number(port),
        database: options.database,
        user: options.user,
        ssl: options.secure,
        max: options.pool,
        connectionTimeoutMillis: CONNECT_MS,
        keepAlive: true,
        allowExitOnIdle: true,
        application_name: 'nearmiss',
      });
      // An idle connection that breaks is replaced by the next that is needed.
      pool.on('error', () => {});
      return pool;
    });
    return new PgSessions(pools, options);
  }

  /** Does some work in a transaction; what fails for a reason that may pass is done again, so it must be harmless to repeat. */
  async transaction<T>(work: (client: PgClient) => Promise<T>, options: WorkOptions = {}): Promise<T> {
    const { totalMs = this.#totalMs, tryMs = TRY_MS, signal } = options;
    return this.#machines.ask(
      async (at, leftMs) => {
        try {
          const limit = tryMs === 0 ? 0 : Math.ceil(Math.min(tryMs, leftMs));
          return await this.#try(this.#pools[at], work, { ...options, tryMs: limit });
        } catch (error) {
          throw mayPass(error) || signal?.aborted ? error : refusal(error, this.#hosts[at]);
        }
      },
      { totalMs: tryMs === 0 ? Number.MAX_SAFE_INTEGER : totalMs, signal, mayPass },
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }

  async #try<T>(
    pool: Pool,
    work: (client: PgClient) => Promise<T>,
    { writes, settings = {}, tryMs = TRY_MS, signal, onNotice }: WorkOptions,
  ): Promise<T> {
    signal?.throwIfAborted();
    const limits = { limitMs: tryMs === 0 ? 0 : tryMs + GRACE_MS, signal };
    const connecting = pool.connect();
    const client = await inTime(connecting, limits).catch((error) => {
      // Nobody waits for it any more.
      connecting.then(
        (late) => late.release(),
        () => {},
      );
      throw error;
    });
    const notice = ({ message }: { message?: string }): void => void (message && onNotice?.(message));
    // A connection that breaks tells its query, too.
    const ignore = (): void => {};
    client.on('notice', notice).on('error', ignore);
    const leave = (broken: boolean): void => {
      client.off('notice', notice).off('error', ignore);
      client.release(broken);
    };
    const inTransaction = async (): Promise<T> => {
      await client.query(beginning(writes ?? false, { statement_timeout: tryMs, ...settings }));
      const done = await work(client);
      await client.query('commit');
      return done;
    };
    try {
      const result = await inTime(inTransaction(), limits);
      leave(false);
      return result;
    } catch (error) {
      // Whatever it was, a new connection is in a known state.
      leave(true);
      throw error;
    }
  }
}

function beginning(writes: boolean, settings: Readonly<Record<string, number | string>>): string {
  const set = Object.entries(settings).map(([name, value]) => {
    if (![name, String(value)].every((part) => SETTING.test(part)))
      throw new Error(`setting ${name}=${value}`);
    return `set local ${name} = ${value}`;
  });
  return [writes ? 'begin' : 'begin read only', ...set].join('; ');
}

async function inTime<T>(
  work: Promise<T>,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort: (() => void) | undefined;
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        if (limitMs > 0) timer = setTimeout(() => reject(new Error('it does not answer in time')), limitMs);
        abort = () => reject(signal!.reason);
        signal?.addEventListener('abort', abort, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    if (abort) signal?.removeEventListener('abort', abort);
    work.catch(() => {});
  }
}
