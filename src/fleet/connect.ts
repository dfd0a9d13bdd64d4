import type { Redis } from 'ioredis';
import { NearmissError, UsageError } from '../base/errors.js';
import { optionalPackages } from '../base/optional-package.js';

/** What a queue is made with: two packages that only those need who have one. */
export interface QueueParts {
  bullmq: typeof import('bullmq');
  redis: Redis;
}

/**
 * Connects to a queue; says what is missing where that is not possible. Later breaks of the connection are waited out.
 *
 * @param log told of these breaks
 */
export async function connectQueue(text: string, log?: (line: string) => void): Promise<QueueParts> {
  const shown = checkedAddress(text);
  const [bullmq, { Redis }] = await optionalPackages('--queue', ['bullmq', 'ioredis'], () =>
    Promise.all([import('bullmq'), import('ioredis')]),
  );
  const redis = new Redis(text, { lazyConnect: true, maxRetriesPerRequest: null });
  let reason: Error | undefined;
  // What `connect` throws says only that the connection is closed.
  redis.on('error', (error: Error) => {
    reason ??= error;
  });
  try {
    await redis.connect();
    // A database that is not there is an event; it would go on in another one.
    if (reason) throw reason;
  } catch (error) {
    redis.disconnect();
    throw notConnected(shown, reason ?? (error as Error));
  }
  if (log) tellOfBreaks(redis, shown, log);
  return { bullmq, redis };
}

/** Of an address that can be one: how to show it. */
function checkedAddress(text: string): string {
  try {
    const url = new URL(text);
    // The password is decoded by who connects.
    decodeURIComponent(url.password);
    const isDatabase = /^\/?\d*$/.test(url.pathname);
    if (/^rediss?:$/.test(url.protocol) && url.hostname !== '' && isDatabase) return withoutPassword(url);
  } catch {}
  throw new UsageError(
    `--queue: expected redis://HOST:PORT, got ${JSON.stringify(text.replace(/\/\/.*@/, '//***@'))}`,
    {
      hint: 'name a Redis of version 6.2 or later; with more: redis://USER:PASSWORD@HOST:PORT/DATABASE, in which % is written %25 and @ %40',
    },
  );
}

function withoutPassword(url: URL): string {
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  return shown.href;
}

function notConnected(shown: string, cause: Error): NearmissError {
  const { message, code } = cause as NodeJS.ErrnoException;
  const isRefusal = /^(NOAUTH|WRONGPASS|NOPERM|ERR AUTH)/.test(message);
  const what = isRefusal ? 'the Redis refuses' : 'no Redis answers at';
  return new NearmissError(`--queue: ${what} ${shown}: ${message || code}`, {
    hint: isRefusal
      ? 'give user and password in the address: redis://USER:PASSWORD@HOST:PORT'
      : 'start one (redis-server --appendonly yes --maxmemory-policy noeviction), or correct the address',
    cause,
  });
}

/** A queue that is away is waited for however long it takes: whoever waits should know it. */
function tellOfBreaks(redis: Redis, shown: string, log: (line: string) => void): void {
  let isAway = false;
  redis.on('reconnecting', () => {
    if (!isAway) log(`the queue at ${shown} does not answer: waiting for it`);
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log(`the queue at ${shown} answers again`);
    isAway = false;
  });
}
