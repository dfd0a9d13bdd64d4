import type { Redis } from 'ioredis';
import { NearmissError, UsageError } from '../base/errors.js';
import { optionalPackages } from '../base/optional-package.js';

/** What a queue is made with: two packages that only those need who have one. */
export interface QueueParts {
  bullmq: typeof import('bullmq');
  redis: Redis;
}

/** Connects to a queue; says what is missing where that is not possible. Later breaks of the connection are waited out. */
export async function connectQueue(url: string): Promise<QueueParts> {
  if (!/^rediss?:\/\//.test(url)) {
    throw new UsageError(`--queue: expected redis://HOST:PORT, got ${JSON.stringify(url)}`, {
      hint: 'name a Redis of version 6.2 or later',
    });
  }
  const [bullmq, { Redis }] = await optionalPackages('--queue', ['bullmq', 'ioredis'], () =>
    Promise.all([import('bullmq'), import('ioredis')]),
  );
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: null });
  // Told once by what is thrown; while it reconnects there is nothing to do.
  redis.on('error', () => {});
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw new NearmissError(
      `--queue: no Redis answers at ${withoutPassword(url)}: ${(error as Error).message}`,
      {
        hint: 'start one (redis-server --appendonly yes --maxmemory-policy noeviction), or correct the address',
        cause: error,
      },
    );
  }
  return { bullmq, redis };
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  return shown.href;
}
